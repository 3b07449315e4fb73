"""Rules, state, values and records of a match."""
