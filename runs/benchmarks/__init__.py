"""What `bonspiel bench` measures."""
