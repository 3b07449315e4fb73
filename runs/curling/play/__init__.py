"""Curling against a planner, in the terminal, in a window or in a browser."""
