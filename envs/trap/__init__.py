"""Trap: two moves over a line with a trap."""
