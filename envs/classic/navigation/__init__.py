"""Navigation: steer round circles to a small goal on the other side."""
