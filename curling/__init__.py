"""Curling: the sheet, the rules, two physics engines that agree with the reference simulator, noise and models."""

from curling.engines import Engine, Path, make_engine

__all__ = ["Engine", "Path", "make_engine"]
