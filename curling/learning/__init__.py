"""Training of the weights of `curling.learning.end_network` by self-play, as by `bonspiel learn`."""
