"""Games of curling between planners, and what they add up to."""
