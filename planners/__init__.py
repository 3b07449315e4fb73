"""Search algorithms for planning with continuous actions.

Examples:
    >>> from bonspiel import planners
    >>> planners.make("dpw", exploration=0.5) == planners.parse("dpw:exploration=0.5")
    True
"""

if __name__ != "bonspiel.planners":  # the folder is importable from the checkout's root, and would be loaded twice
    raise ImportError("import bonspiel.planners, not planners")


from contextlib import suppress
from typing import Any

from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.planner import Budget, Decision, EpisodeSearch, Planner, begin_episode, unsupported
from bonspiel.planners.registry import Registry

__all__ = [
    "BASELINES",
    "Array",
    "Budget",
    "Decision",
    "EpisodeSearch",
    "Model",
    "Planner",
    "Rng",
    "begin_episode",
    "make",
    "names",
    "names_for",
    "parse",
    "unsupported",
]

REGISTRY = Registry(
    "planner",
    {
        "random": "bonspiel.planners.random:RandomPlanner",
        "uct": "bonspiel.planners.trees.uct:UCT",
        "pw": "bonspiel.planners.trees.pw:PW",
        "dpw": "bonspiel.planners.trees.dpw:DPW",
        "voot": "bonspiel.planners.trees.voot:VOOT",
        "hoot": "bonspiel.planners.cells.hoot:HOOT",
        "poly_hoot": "bonspiel.planners.cells.hoot:PolyHOOT",
        "cmcgs": "bonspiel.planners.cells.cmcgs:CMCGS",
        "weighted_uct": "bonspiel.planners.cells.weighted_uct:WeightedUCT",
        "abstraction": "bonspiel.planners.abstraction:AbstractionTree",
        "scaled_abstraction": "bonspiel.planners.abstraction:ScaledAbstraction",
        "adaptive": "bonspiel.planners.abstraction:AdaptiveAbstraction",
        "presearch": "bonspiel.planners.wrappers.presearch:Presearch",
        "kr_uct": "bonspiel.planners.trees.kr_uct:KRUCT",
        "crave": "bonspiel.planners.trees.crave:CRAVE",
        "sequential_halving": "bonspiel.planners.trees.sequential_halving:SequentialHalving",
        "open_loop": "bonspiel.planners.trees.open_loop:OpenLoop",
        "random_shooting": "bonspiel.planners.sequences.random_shooting:RandomShooting",
        "cem": "bonspiel.planners.sequences.cem:CEM",
        "icem": "bonspiel.planners.sequences.icem:ICEM",
        "mppi": "bonspiel.planners.sequences.mppi:MPPI",
        "root": "bonspiel.planners.wrappers.root:Root",
        "threads": "bonspiel.planners.wrappers.threads:TreeParallel",
        "valued": "bonspiel.planners.wrappers.valued:Valued",
        "rave_uct": "bonspiel.planners.trees.rave_uct:RaveUCT",
        "territory_uct": "bonspiel.planners.trees.rave_uct:TerritoryUCT",
        "do_nothing": "bonspiel.planners.do_nothing:DoNothing",
        "constant": "bonspiel.planners.constant:Constant",
    },
    aliases={"wuct": "weighted_uct"},
    removed={"refined_abstraction": "adaptive"},
    group="bonspiel.planners",
    members=("plan",),
    functions=("planners.parse", "planners.make"),
)

names = REGISTRY.names
BASELINES = "random", "do_nothing", "constant"
"""The planners whose returns charts show as lines; the score 0 is the better of the first two."""


def names_for(model: Model, extensions: bool = False) -> list[str]:
    """The planners, without the BASELINES, that search this model with their default parameters.

    Those of guests, each for one game, count if `extensions`, unless they are programs that parameters have to name.
    """

    def searches(name: str) -> bool:
        with suppress(ValueError):  # a program that no parameter names
            return not unsupported(make(name), model)
        return False

    known = REGISTRY.everything() if extensions else names()
    return [name for name in known if name not in BASELINES and searches(name)]


def make(name: str, **parameters: Any) -> Planner:
    """A planner by name, e.g. `make("dpw", alpha_action=0.3)`; also one of another package, by name or as module:class.

    Raises:
        ValueError: unknown name or parameter (the close match is named), or a value out of range.
    """
    planner: Planner = REGISTRY.make(name, **parameters)
    return planner


def parse(text: str) -> Planner:
    """A planner from text as on the command line, e.g. `parse("dpw:alpha_action=0.3")`, `parse("my_module:Mine:c=1")`.

    Raises:
        ValueError: not of the form NAME[:key=value,...], or as for `make`.
    """
    planner: Planner = REGISTRY.parse(text)
    return planner
