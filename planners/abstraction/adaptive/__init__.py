"""The abstraction tree with one set of parameters: lasting actions, relative returns, smoothed means, one sequence."""
