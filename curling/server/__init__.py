"""A practice server that speaks the protocols of Digital Curling 3 and 2."""
