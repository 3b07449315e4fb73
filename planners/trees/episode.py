"""Planners that may keep the tree of a decision for the next one of an episode."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from bonspiel.planners import Array, Budget, Decision, EpisodeSearch, Model, Rng
from bonspiel.planners.checks import is_real, require
from bonspiel.planners.core.problem import PlanLength
from bonspiel.planners.core.tree.subtree import TreeMemory
from bonspiel.planners.planner import FreshSearches


@dataclass(frozen=True, kw_only=True)
class KeepsTree(PlanLength, ABC):
    """A tree search whose decisions may go on with a part of the last one's tree.

    Args:
        memory: 1 begins a decision of an episode with the part of the last decision's tree below the state reached, see
            `planners.core.tree.subtree.TreeMemory`; 0 with nothing. The simulations of the budget are new ones, and
            `Decision.visits` counts the kept ones too. A decision among `root_actions` begins with nothing and leaves
            nothing.
    """

    memory: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require(is_real(self.memory) and self.memory in (0.0, 1.0), "memory", self.memory, "0 or 1")

    @abstractmethod
    def plan_with(
        self,
        memory: TreeMemory | None,
        model: Model,
        state: Array,
        budget: Budget,
        rng: Rng,
        root_actions: Array | None = None,
    ) -> Decision:
        """Choose an action, beginning with what the memory knows and leaving the tree to it; none forgets."""

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        return self.plan_with(None, model, state, budget, rng, root_actions)

    def begin_episode(self, model: Model) -> EpisodeSearch:
        """The decisions of an episode; see `planners.begin_episode`."""
        return TreeEpisode(self, model) if self.memory > 0.0 else FreshSearches(self, model)


class TreeEpisode:
    """Decisions each of which begins with a part of the tree of the one before."""

    def __init__(self, planner: KeepsTree, model: Model) -> None:
        self.planner, self.model, self.memory = planner, model, TreeMemory(model)

    def plan(self, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.EpisodeSearch.plan`."""
        return self.planner.plan_with(self.memory, self.model, state, budget, rng, root_actions)
