"""The server of Digital Curling 4."""
