"""Web pages of recorded and running matches."""
