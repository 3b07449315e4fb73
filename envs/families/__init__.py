"""Families of problems with known optimum: an instance is drawn by its number."""
