"""Donut: find a ring and stay on it."""
