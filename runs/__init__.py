"""Experiments: run in parallel, stored, summarised, drawn; and the command line."""

if __name__ != "bonspiel.runs":  # the folder is importable from the checkout's root, and would be loaded twice
    raise ImportError("import bonspiel.runs, not runs")
