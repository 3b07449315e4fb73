"""What is curling's alone: its games, pictures, play, servers and verbs."""
