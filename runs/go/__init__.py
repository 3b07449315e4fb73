"""What `runs` does with Go alone: its benchmark, its matches and the Go Text Protocol."""
