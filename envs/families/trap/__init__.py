"""Lines with traps, one for each coordinate of the action; an instance draws them."""
