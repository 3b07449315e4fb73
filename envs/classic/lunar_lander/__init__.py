"""Lunar lander: land softly and upright in the middle with a noisy engine."""
