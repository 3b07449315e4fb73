"""The arena: tournaments of any clients of Digital Curling, on servers of its own."""
