"""The planner of a client: its process, its time and its stand-by."""
