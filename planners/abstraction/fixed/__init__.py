"""One fixed set of actions for all states (algorithms 5 and 7 of the thesis)."""
