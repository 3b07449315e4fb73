"""Rules, states, positions, values and records of a match."""
