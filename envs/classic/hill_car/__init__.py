"""Hill car: drive up a hill with a noisy engine that is weaker than the slope, and do not go too fast."""
