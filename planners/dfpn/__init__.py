"""Depth-first proof-number search: which side can force a win."""
