"""Learns the weights of `curling.end_network` from self-play: `python -m curling.learning --help`."""
