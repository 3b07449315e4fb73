"""Runs that others can check: verified by replay, submitted as one file."""
