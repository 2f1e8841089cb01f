"""The reference notification service: messages, preferences and devices of recipients, and a stream of what changed."""
