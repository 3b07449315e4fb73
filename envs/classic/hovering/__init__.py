"""Hovering: hold a planar quadrotor in place in wind."""
