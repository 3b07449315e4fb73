"""Experiments: run in parallel, stored, summarised, drawn; and the command line."""
