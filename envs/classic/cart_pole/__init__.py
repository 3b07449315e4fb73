"""Cart Pole: keep a pole upright."""
