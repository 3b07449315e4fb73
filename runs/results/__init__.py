"""Results files: written by one driver, read by any process, merged and exported."""
