"""Reference values of problems without a known optimum: mean returns of a planner with a large budget."""

from typing import Any, NamedTuple

from bonspiel import envs


class ReferenceValue(NamedTuple):
    """Measured return of a planner with a large budget; it is no bound, others may exceed it.

    Attributes:
        mean: return.
        error: its standard error.
        episodes: played.
        run: the arguments of `bonspiel run` that measured it.
    """

    mean: float
    error: float
    episodes: int
    run: str


REFERENCES = {
    "bicycle": ReferenceValue(
        300.0, 0.0, 10, "bicycle --planner uct:exploration=25,leaf=tree --budget 300 --episodes 10 --seed 1"
    ),
    "bicycle:task=goal": ReferenceValue(
        191.9, 17.1, 30, "bicycle:task=goal --planner icem:lookahead=100 --budget 1000 --episodes 30 --seed 1"
    ),
    "racetrack": ReferenceValue(
        14.09, 0.40, 20, "racetrack --planner icem:repeats=10 --budget 10000 --episodes 20 --seed 1"
    ),
    "racetrack:track=hairpin": ReferenceValue(
        10.39, 0.88, 20, "racetrack:track=hairpin --planner icem:repeats=10 --budget 10000 --episodes 20 --seed 1"
    ),
    "racetrack:crash=end": ReferenceValue(
        4.70, 3.39, 40, "racetrack:crash=end --planner icem:repeats=30 --budget 30000 --episodes 40 --seed 1"
    ),
    "hovering": ReferenceValue(-1.74, 0.19, 20, "hovering --planner icem --budget 10000 --episodes 20 --seed 1"),
}


def reference(model: Any) -> ReferenceValue | None:
    """The reference of a model with exactly these parameters, however far plans look ahead; None without one."""
    return next((found for env, found in REFERENCES.items() if envs.parse(env) == model), None)
