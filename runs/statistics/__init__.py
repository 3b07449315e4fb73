"""Estimates and comparisons with their uncertainty (definitions: docs/statistics.md)."""
