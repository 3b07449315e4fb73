"""A practice server for the protocols of Digital Curling 2, 3 and 4."""
