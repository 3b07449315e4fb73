"""Strength without playing: how often parallel searches agree with the best action, over positions of episodes."""
