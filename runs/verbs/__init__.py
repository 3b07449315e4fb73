"""The verbs of the command line that serve any environment; `runs.cli` lists them all."""
