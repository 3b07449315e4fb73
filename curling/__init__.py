"""Curling: the sheet, the rules, two physics engines that agree with the reference simulator, noise and models."""

if __name__ != "bonspiel.curling":  # the folder is importable from the checkout's root, and would be loaded twice
    raise ImportError("import bonspiel.curling, not curling")


from bonspiel.curling.ice.engines import Engine, Path, make_engine

__all__ = ["Engine", "Path", "make_engine"]
