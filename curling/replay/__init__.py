"""Matches on record as a page for a browser."""
