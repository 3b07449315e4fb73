"""A practice server for the protocols of Digital Curling 3 and 2."""
