"""A set of actions for each state, that of the model (algorithm 8 of the thesis)."""
