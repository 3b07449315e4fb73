"""The verbs of curling."""
