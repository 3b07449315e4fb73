"""Estimates and comparisons with their uncertainty (definitions: docs/guides/statistics.md)."""
