"""The abstraction tree with one set of parameters: actions that last, relative returns, smoothed means at the root."""
