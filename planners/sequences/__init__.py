"""Searches over whole sequences of actions, which keep no tree."""
