"""Benchmarks of the curling clients and servers."""
