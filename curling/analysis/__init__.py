"""The analysis of a position, for `bonspiel map`, and of all shots of a match, for `bonspiel analyse`."""
