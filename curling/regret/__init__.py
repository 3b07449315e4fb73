"""The regret of shots: positions for clients, a referee of their shots, and pages of the results."""
