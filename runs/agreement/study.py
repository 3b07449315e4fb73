"""A study of `bonspiel agreement`: an environment, a planner, numbers of workers, and rules that combine them."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

from bonspiel import planners
from bonspiel.planners import Model, Planner
from bonspiel.planners.checks import missing, missing_action_bounds
from bonspiel.planners.core.text import read
from bonspiel.planners.model import HasActionSd
from bonspiel.planners.planner import has_same_actions
from bonspiel.planners.registry import unknown
from bonspiel.planners.wrappers.root import Root
from bonspiel.planners.wrappers.root.planner import Combine
from bonspiel.planners.wrappers.root.similarity import Kernel, kernel_of
from bonspiel.runs.experiment import UsageError, number, planner_for
from bonspiel.runs.suite import model_of

RULES = get_args(Combine)
PARAMETERS = ("bandwidth", "cells", "rounds")  # of rules
SHARED = "tries"  # the rule whose workers share their search
ALIKE = 0.1  # share of the range of actions that lies within h of one by default
MOST_POSITIONS = 20_000  # their resamples are held in memory


@dataclass(frozen=True)
class Study:
    """Positions of a planner's episodes, each searched by many workers whose decisions are combined.

    Args:
        env: NAME[:key=value,...].
        planner: NAME[:key=value,...], of every worker.
        budget: simulations of every worker.
        workers: numbers of workers, W.
        rules: NAME[:key=value,...], values of `combine` of `planners.wrappers.root.Root` with their parameters;
            empty for all that fit the planner and need no parameter.
        positions: their number.
        reference: budgets of the search that finds the best action, where the optimum is not known.
        bandwidth: h, as of `Root`: actions that are sampled are alike within h, and rules take it if not given theirs;
            None for 0.05, and more with several coordinates, so that a random action is alike as often (ALIKE).
        seed: random seed.
    """

    env: str
    planner: str
    budget: int = 1000
    workers: tuple[int, ...] = (1, 4, 16, 64)
    rules: tuple[str, ...] = ()
    positions: int = 500
    reference: int = 100
    bandwidth: float | str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """Normalise the numbers, fill in the rules, and refuse what cannot be studied."""
        limits = {"budget": 1e9, "positions": MOST_POSITIONS, "reference": 1e6}
        for name, most in limits.items():
            object.__setattr__(self, name, number(name, getattr(self, name), 1, most, whole=True))
        number("seed", self.seed, 0, 2**32 - 1, whole=True)
        if self.bandwidth is None:
            width = 0.5 * ALIKE ** (1.0 / len(self.model.action_low))
            object.__setattr__(self, "bandwidth", float(f"{width:.2g}"))
        if self.bandwidth != "noise":
            number("bandwidth", self.bandwidth, 1e-9, 1e9, whole=False)
        workers = sorted({number("workers", w, 1, 4096, whole=True) for w in self.workers})
        object.__setattr__(self, "workers", tuple(workers))
        reason = planners.unsupported(self.player, self.model)
        if reason:
            raise UsageError(f"{self.planner} cannot search {self.env}: {reason}")
        rules = self.rules or tuple(rule for rule in RULES if rule != SHARED and self._unfit(rule) is None)
        object.__setattr__(self, "rules", tuple(dict.fromkeys(rules)))
        for rule in self.rules:
            if reason := self._unfit(rule):
                raise UsageError(f"--combine {rule} cannot combine {self.planner} in {self.env}: {reason}")
        if not self.same_actions:
            _ = self.kernel  # refuses a bandwidth that the model has no range or noise for

    @cached_property
    def model(self) -> Model:
        """The model of the environment."""
        return model_of(self.env)

    @cached_property
    def player(self) -> Planner:
        """The planner of every worker."""
        return planner_for(self.planner, self.model, self.env)

    @cached_property
    def same_actions(self) -> bool:
        """True if all searches of a position consider the same actions."""
        return has_same_actions(self.player, self.model)

    @cached_property
    def kernel(self) -> Kernel:
        """The similarity of two actions, for actions that are sampled.

        Raises:
            UsageError: the model has no noise or range that the bandwidth is a part of.
        """
        by_noise = self.bandwidth == "noise"
        if reason := missing(self.model, HasActionSd) if by_noise else missing_action_bounds(self.model):
            raise UsageError(f"--bandwidth {self.bandwidth}: {self.env} {reason}")
        assert self.bandwidth is not None
        return kernel_of(self.model, self.bandwidth)

    @property
    def most(self) -> int:
        """The largest number of workers."""
        return self.workers[-1]

    @functools.lru_cache(maxsize=256)  # noqa: B019  (asked at every position; reading a text takes 4 ms)
    def root(self, rule: str, workers: int) -> Root:
        """The planner that searches a position by this number of workers and combines them by a rule.

        Raises:
            UsageError: an invalid text.
        """
        made = planners.parse(self.root_text(rule, workers))
        assert isinstance(made, Root)
        return made

    def root_text(self, rule: str, workers: int) -> str:
        """That planner as text."""
        name, given = _parts(rule)
        own: dict[str, Any] = {"bandwidth": self.bandwidth, **given}
        parameters = ",".join(f"{key}={value}" for key, value in own.items())
        return f"root:inner=({self.planner}),workers={workers},combine={name},run=one,{parameters}"

    def is_shared(self, rule: str) -> bool:
        """True if the workers of a rule share their search."""
        return _parts(rule)[0] == SHARED

    def _unfit(self, rule: str) -> str | None:
        try:
            return planners.unsupported(self.root(rule, self.most), self.model)
        except ValueError as error:
            raise UsageError(f"--combine {rule}: {error}") from error


def _parts(rule: str) -> tuple[str, Mapping[str, Any]]:
    """The name and the parameters of a rule.

    Raises:
        UsageError: an invalid text.
    """
    try:
        name, given = read(rule)
        if name not in RULES:
            raise unknown("rule", name, RULES)
        for key in given:
            if key not in PARAMETERS:
                raise unknown("parameter of a rule", key, PARAMETERS)
    except ValueError as error:
        raise UsageError(f"--combine {rule}: {error}") from error
    return name, given
