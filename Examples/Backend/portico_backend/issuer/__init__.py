"""An issuer of tickets, written from the format's documentation alone: stock Ed25519, stock RFC 8785."""
