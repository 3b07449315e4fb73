"""Linear dynamics with bounded actions, noise and a quadratic cost."""
