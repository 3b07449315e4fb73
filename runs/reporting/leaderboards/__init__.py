"""The leaderboard of a run over several problems: figures, tables and page."""
