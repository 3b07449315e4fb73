"""Go: board, playouts, model, environments for one and two agents, and the Go Text Protocol."""
