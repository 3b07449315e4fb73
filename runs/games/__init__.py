"""Tournaments of two-player games: games, records, ratings and strength charts of any `TwoPlayerGame`."""
