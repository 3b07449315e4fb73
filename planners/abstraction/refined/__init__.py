"""Actions that the search chooses: cells of actions are divided where they are visited, as cells of states are."""
