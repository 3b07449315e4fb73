"""Training of the weights of `curling.network.end_network` by self-play, as by `bonspiel learn`."""
