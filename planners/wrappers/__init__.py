"""Searches around another planner's search."""
