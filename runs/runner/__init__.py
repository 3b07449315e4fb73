"""Plays episodes, on this machine's cores or on a cluster."""
