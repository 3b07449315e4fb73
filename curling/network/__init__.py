"""The network that values an end before it is over: inputs, layers, weights by game and noise."""
