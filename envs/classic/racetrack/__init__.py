"""Racetrack: drive round curves on a slippery track."""
