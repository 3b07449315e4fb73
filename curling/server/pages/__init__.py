"""Pages that a server serves, and the people who watch or throw there."""
