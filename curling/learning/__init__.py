"""Learns the weights of `curling.end_network` from self-play: `python -m bonspiel.curling.learning --help`."""
