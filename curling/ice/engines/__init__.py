"""Engines: "box2d", the reference, a rigid body simulation; "analytic", compiled, for searches."""

from bonspiel.curling.ice.engines.base import Engine, Path
from bonspiel.planners.registry import Registry

__all__ = ["Engine", "Path", "make_engine", "names"]

ENGINES = {
    "analytic": "bonspiel.curling.ice.engines.analytic:AnalyticEngine",
    "box2d": "bonspiel.curling.ice.engines.box2d:Box2DEngine",
}
REGISTRY = Registry("engine", ENGINES, functions=("", "make_engine"))
names = REGISTRY.names


def make_engine(name: str = "analytic", physics: str = "fcv1") -> Engine:
    """Make an engine, "analytic" or "box2d", of "fcv1" (Digital Curling 3), "dc2" or "dc4".

    Raises:
        ValueError: unknown name or physics.
    """
    engine: Engine = REGISTRY.make(name, physics=physics)
    return engine
