"""A planner, an environment and a suite that an installed package adds to bonspiel."""
