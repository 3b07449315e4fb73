"""Matches of Go: the game of tournaments, its records and their pages."""
