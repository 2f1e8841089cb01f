"""The reference services of Portico, and an issuer of tickets that shares no code with the gate."""
