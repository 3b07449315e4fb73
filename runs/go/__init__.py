"""Go in `runs`: its benchmarks, its matches, life and death, and the Go Text Protocol."""
