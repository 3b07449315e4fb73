"""Curling against a planner, in the terminal or in a browser."""
