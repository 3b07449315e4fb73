"""Search algorithms for planning with continuous actions.

Examples:
    >>> import planners
    >>> planners.make("dpw", exploration=0.5) == planners.parse("dpw:exploration=0.5")
    True
"""

from typing import Any

from planners.base import Array, Budget, Decision, EpisodeSearch, Model, Planner, Rng, begin_episode, unsupported
from planners.registry import Registry

__all__ = [
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
        "random": "planners.random:RandomPlanner",
        "uct": "planners.uct:UCT",
        "pw": "planners.pw:PW",
        "dpw": "planners.dpw:DPW",
        "voot": "planners.voot:VOOT",
        "hoot": "planners.hoot:HOOT",
        "poly_hoot": "planners.hoot:PolyHOOT",
        "cmcgs": "planners.cmcgs:CMCGS",
        "weighted_uct": "planners.weighted_uct:WeightedUCT",
        "abstraction": "planners.abstraction:AbstractionTree",
        "scaled_abstraction": "planners.abstraction:ScaledAbstraction",
        "refined_abstraction": "planners.abstraction:RefinedAbstraction",
        "presearch": "planners.presearch:Presearch",
        "kr_uct": "planners.kr_uct:KRUCT",
        "crave": "planners.crave:CRAVE",
        "sequential_halving": "planners.sequential_halving:SequentialHalving",
        "open_loop": "planners.open_loop:OpenLoop",
        "random_shooting": "planners.random_shooting:RandomShooting",
        "cem": "planners.cem:CEM",
        "icem": "planners.icem:ICEM",
        "mppi": "planners.mppi:MPPI",
        "root": "planners.root:Root",
        "threads": "planners.threads:TreeParallel",
        "valued": "planners.valued:Valued",
        "rave_uct": "planners.rave_uct:RaveUCT",
        "territory_uct": "planners.rave_uct:TerritoryUCT",
    },
    aliases={"wuct": "weighted_uct"},
    extensions={
        "curling": {
            "rulebased": "curling.players.rulebased:RuleBased",
            "expectimax": "curling.players.expectimax:Expectimax",
            "process": "curling.players.process:ProcessPlayer",
            "champion": "curling.players.champion:Champion",
        },
        "go": {"gtp": "envs.go.gtp_player:GTPPlayer"},
    },
    group="bonspiel.planners",
    members=("plan",),
)

names = REGISTRY.names


def names_for(model: Model) -> list[str]:
    """The planners of this package, but the random one, that search this model with their default parameters."""
    return [name for name in names() if name != "random" and not unsupported(make(name), model)]


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
