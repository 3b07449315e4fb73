"""Playouts of Go, with patterns, and priors of moves."""
