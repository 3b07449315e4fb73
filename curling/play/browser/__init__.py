"""Curling on a page in a browser: a game against a planner, and a seat of a practice server."""
