"""The parameters that UCT, PW, DPW and VOOT share, and their plans."""

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal

from bonspiel.planners import Array, Budget, Decision, Model, Rng
from bonspiel.planners.checks import missing
from bonspiel.planners.core.search import plan_with_tree
from bonspiel.planners.core.tree.leaf import LEAVES, check_leaf
from bonspiel.planners.core.tree.selection import Bonus, Selection, check_selection, columns_of, selection_of
from bonspiel.planners.core.tree.subtree import TreeMemory
from bonspiel.planners.kinds import KINDS
from bonspiel.planners.model import HasRollout
from bonspiel.planners.planner import Traits, check_plan
from bonspiel.planners.trees.episode import KeepsTree


@dataclass(frozen=True)
class TreeSearch(KeepsTree, ABC):
    """A tree search with one node for each state or outcome, whose subclasses choose the actions.

    Args:
        exploration: C, at least 0: the range of returns that the bonus of a few visits is for.
        leaf: value of a new leaf by acting on in the "tree", or by the model's "rollout"; "auto" if it has one.
        bonus: "ucb1", or "ucb_v" or "ucb1_tuned", which look at the variance of the returns.
        first_play: value of an action not yet tried, which it must be worth to be tried (first-play urgency, Gelly and
            Wang 2006); none: every action is tried as soon as it is due.
        scale_exploration: whether C is multiplied by the range of the returns met so far in the search.
        playouts: rollouts that value a new leaf. Their mean counts as this number of visits, each as a simulation of
            the budget; a bonus that looks at the variance takes them for equal.
    """

    traits: ClassVar[Traits] = Traits(action_kinds=KINDS)
    kernel: ClassVar[Any]  # the `search_kernel`, of SearchTree and TreeWalk
    by_state: ClassVar[bool] = True  # whether outcomes are found by their states

    exploration: float = 1.0
    _: KW_ONLY
    leaf: Literal["auto", "tree", "rollout"] = "auto"
    bonus: Bonus = "ucb1"
    first_play: float | None = None
    scale_exploration: bool = False
    playouts: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_selection(self.exploration, self.bonus, self.first_play, self.scale_exploration)
        check_leaf(self.leaf, self.playouts, LEAVES)

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        return missing(model, HasRollout) if self.leaf == "rollout" else None

    @property
    def selection(self) -> Selection:
        """The rule that selects edges, as a kernel takes it."""
        return selection_of(self.exploration, self.bonus, self.first_play, self.scale_exploration)

    @property
    def leaf_playouts(self) -> int:
        """Rollouts that value a new leaf, at most."""
        return 0 if self.leaf == "tree" else self.playouts

    @property
    def candidates(self) -> int:
        """Actions that are drawn for each new one; 0 where that needs no room."""
        return 0

    @abstractmethod
    def settings(self, model: Model) -> Any:
        """The parameters as a kernel takes them."""

    def settings_in(self, model: Model, state: Array, memory: TreeMemory | None, rng: Rng) -> Any:
        """The parameters as a kernel takes them in a decision; other than `settings` only where actions are drawn."""
        return self.settings(model)

    def plan_with(
        self,
        memory: TreeMemory | None,
        model: Model,
        state: Array,
        budget: Budget,
        rng: Rng,
        root_actions: Array | None = None,
    ) -> Decision:
        """Choose an action; see `KeepsTree.plan_with`."""
        state = check_plan(self, model, state, budget, rng)
        return plan_with_tree(
            self.kernel,
            self.settings_in(model, state, memory, rng),
            model,
            state,
            budget,
            rng,
            root_actions,
            by_state=self.by_state,
            columns=columns_of(self.bonus),
            first_play=self.selection.first_play,
            candidates=self.candidates,
            lookahead=self.lookahead,
            memory=memory,
        )
