"""Games of two players between planners: tournaments, ratings, and what they add up to."""
