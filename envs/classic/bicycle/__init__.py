"""Bicycle: keep it upright, or ride it to a goal."""
