"""Noisy mountain car: leave a valley with a noisy engine, and break down by driving too fast."""
