"""What a paper prints of a run: figures, tables, numbers, facts and sources."""
