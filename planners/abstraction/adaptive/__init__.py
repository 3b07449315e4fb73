"""The abstraction tree for every problem: actions that last, relative returns, smoothed means at the root."""
