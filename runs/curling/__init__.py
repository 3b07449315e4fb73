"""The parts of runs/ that serve curling alone: its games, pictures, play, servers and verbs."""
