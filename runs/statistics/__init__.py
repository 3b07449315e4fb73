"""What results say, and how surely (definitions: docs/statistics.md)."""
