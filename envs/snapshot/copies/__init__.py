"""Copies of an environment: what they hold, how they are made, and whether they leave the original alone."""
