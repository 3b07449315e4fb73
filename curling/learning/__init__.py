"""Learns the weights of `curling.learning.end_network` from self-play: `python -m bonspiel.curling.learning --help`."""
