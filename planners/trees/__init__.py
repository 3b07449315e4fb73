"""Searches that build a tree of states and sampled or listed actions."""
