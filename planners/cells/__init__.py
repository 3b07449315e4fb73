"""Searches that share statistics among near states or actions."""
