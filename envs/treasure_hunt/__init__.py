"""Treasure Hunt: a walk past a hole, with noise."""
