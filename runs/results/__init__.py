"""Results files: written by one driver, read by everyone else, merged and exported."""
