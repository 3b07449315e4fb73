"""The abstraction tree with one set of parameters: lasting actions, relative returns, short simulations, a sequence."""
