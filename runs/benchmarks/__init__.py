"""Benchmarks of speed, memory, workers and results files."""
