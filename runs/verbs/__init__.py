"""The verbs of the command line, one module for each group of them; `runs.cli` brings them together."""
