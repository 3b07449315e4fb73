"""Pendulum: swing it up."""
