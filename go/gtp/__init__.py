"""Programs that speak the Go Text Protocol."""
