"""Curling for one agent, for two, and its picture."""
