"""Scores against each parameter of a family of problems."""
