"""KR-UCT: kernel regression over actions with execution noise (Yee, Lisy, Bowling, IJCAI 2016)."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planners.base import (
    Array,
    Budget,
    Decision,
    HasActions,
    HasActionSd,
    HasRollout,
    HasStepExact,
    Model,
    Rng,
    check_plan,
    missing,
    missing_action_bounds,
    offers,
    require,
    require_at_least,
    require_choice,
    require_count,
    require_positive,
)
from planners.core.backup import record
from planners.core.jit import Problem, actions, model_helper, player, rollout, sample_action, step, step_exact
from planners.core.problem import search_kernel
from planners.core.search import plan_with_tree
from planners.core.tree import (
    BLOCK,
    ENDED,
    INV_SQRT,
    MEAN,
    NEVER,
    SEARCH_TREE,
    TREE_WALK,
    SearchTree,
    TreeWalk,
    add_edge,
    add_node,
    copy,
    has_room,
)
from planners.core.widening import due
from planners.kr_uct.regression import (
    COLUMNS,
    CUTOFF,
    PROPOSALS,
    WEIGHT,
    back_up,
    best_edge,
    edges_of,
    init_edge,
    widen,
)


class KRUCTSettings(NamedTuple):
    """The parameters of `KRUCT` as its kernel takes them.

    Attributes:
        exploration: as there, as the next three.
        k_action: factor.
        alpha_action: exponent.
        tau: smallest kernel of a new action.
        n_initial: first actions to draw, 0 where the model has `actions`.
        sd: width of the kernel, [action_dim].
        low: smallest action, [action_dim].
        high: largest action, [action_dim].
        exact: whether outcomes are those without noise.
        use_rollout: whether a rollout values a new leaf.
    """

    exploration: float
    k_action: float
    alpha_action: float
    tau: float
    n_initial: int
    sd: Array
    low: Array
    high: Array
    exact: bool
    use_rollout: bool


@model_helper
def _add_candidates(tree: SearchTree, walk: TreeWalk, problem: Problem, node: int) -> None:
    """The model's own choice of actions for this state."""
    count = actions(problem, tree.state[node], walk.actions, walk.keys)
    for i in range(count):
        edge = add_edge(tree, node)
        copy(walk.actions[i], tree.action[edge])
        init_edge(tree, edge)


@model_helper
def _follow(
    tree: SearchTree,
    walk: TreeWalk,
    problem: Problem,
    depth: int,
    node: int,
    edge: int,
    rng: Rng,
    exact: bool,
    use_rollout: bool,
) -> tuple[int, float]:
    """Take the edge's one outcome, drawn at the first visit, and record it.

    Returns:
        The child, or ENDED at the end of the episode or of the horizon, and after the rollout that values a new child.
        The value of that rollout, else 0.
    """
    next_state, scratch = walk.state[0], walk.state[1]
    if depth + 1 == problem.steps and not exact:
        reward, _ = step(problem, tree.state[node], tree.action[edge], next_state, rng)
        record(walk, depth, node, edge, reward)
        return ENDED, 0.0
    child = tree.edges[edge]["first_outcome"]
    known = child != 0
    if not known:
        if exact:
            reward, terminated = step_exact(problem, tree.state[node], tree.action[edge], next_state, rng)
        else:
            reward, terminated = step(problem, tree.state[node], tree.action[edge], next_state, rng)
        child = add_node(tree, next_state, reward, player(problem, next_state))
        tree.edges[edge]["first_outcome"] = child
        if terminated or depth + 1 == problem.steps:
            tree.nodes[child]["actions"] = ENDED
    record(walk, depth, node, edge, tree.nodes[child]["reward"])
    if tree.nodes[child]["actions"] == ENDED:
        return ENDED, 0.0
    if use_rollout and not known:
        return ENDED, rollout(problem, next_state, scratch, problem.steps - depth - 1, rng)
    return child, 0.0


@search_kernel(
    SEARCH_TREE, TREE_WALK, KRUCTSettings(1.0, 1.0, 1.0, 1.0, 1, np.zeros(1), np.zeros(1), np.zeros(1), False, False)
)
def _search(
    tree: SearchTree, walk: TreeWalk, problem: Problem, simulations: int, rng: Rng, settings: KRUCTSettings
) -> int:
    k_action, alpha_action, n_initial = settings.k_action, settings.alpha_action, settings.n_initial
    while tree.size[BLOCK] < len(walk.actions):
        tree.size[BLOCK] *= 2
    if tree.nodes[0]["visits"] == 0:
        for edge in edges_of(tree, 0):
            init_edge(tree, edge)
    for simulation in range(simulations):
        if not has_room(tree, problem.steps):
            return simulation
        node, depth, leaf_value = 0, 0, 0.0
        while node != ENDED:
            count = tree.nodes[node]["actions"]
            if count == 0 and len(walk.actions) > 0:
                _add_candidates(tree, walk, problem, node)
                tree.nodes[node]["due"] = due(tree.nodes[node]["actions"], k_action, alpha_action)
            if count < n_initial and tree.nodes[node]["visits"] >= tree.nodes[node]["due"]:
                edge = add_edge(tree, node)
                sample_action(problem, tree.state[node], tree.action[edge], rng)
                init_edge(tree, edge)
                count += 1
                tree.nodes[node]["due"] = count if count < n_initial else due(count, k_action, alpha_action)
            else:
                edge = best_edge(tree, node, settings.exploration)
                # an episode's end seen again would teach nothing, so the search tries a neighbouring action
                outcome = tree.edges[edge]["first_outcome"]
                ended = outcome != 0 and tree.nodes[outcome]["actions"] == ENDED
                is_due = tree.nodes[node]["visits"] >= tree.nodes[node]["due"]
                if is_due or (ended and tree.nodes[node]["due"] != NEVER):
                    proposals = PROPOSALS if is_due else 1
                    edge = widen(
                        tree,
                        node,
                        edge,
                        settings.sd,
                        settings.low,
                        settings.high,
                        settings.tau,
                        proposals,
                        walk.action,
                        rng,
                    )
                    tree.nodes[node]["due"] = due(tree.nodes[node]["actions"], k_action, alpha_action)
            node, leaf_value = _follow(
                tree, walk, problem, depth, node, edge, rng, settings.exact, settings.use_rollout
            )
            depth += 1
        back_up(tree, walk, depth, leaf_value, problem.discount, settings.sd)
    return simulations


def _noise_of(model: Model, bandwidth: float) -> Array:
    """Standard deviations of the kernel, [action_dim]; a fraction of the range where the model gives no noise."""
    dim = len(model.action_low)
    sd = np.ascontiguousarray(model.action_sd if offers(model, HasActionSd) else np.zeros(dim), np.float64)
    fits = sd.shape == (dim,) and ((sd >= 0.0) & np.isfinite(sd)).all()
    require(fits, "action_sd", sd, f"{dim} finite numbers of at least 0")
    return sd if sd.any() else np.ascontiguousarray(bandwidth * (model.action_high - model.action_low))


def _by_lower_bound(exploration: float) -> Callable[[NDArray[np.int64], Array], int]:
    """The final choice among the actions tried: greatest E[v|a] - C sqrt(2 ln sum_b W(b) / W(a))."""

    def choose(visits: NDArray[np.int64], value: Array) -> int:
        width = exploration * math.sqrt(2.0 * math.log(max(value[:, WEIGHT].sum(), 1.0)))
        lowest = value[:, MEAN] - width * value[:, INV_SQRT]
        return int(np.argmax(np.where(visits > 0, lowest, -np.inf)))

    return choose


@dataclass(frozen=True)
class KRUCT:
    """UCT whose actions share their values and visits by a kernel, the density of the execution noise.

    E[v|a] = sum_b K(a, b) n_b v_b / sum_b K(a, b) n_b and W(a) = sum_b K(a, b) n_b take the places of means and visits.
    A node begins with the model's `actions`, or with draws of `sample_action`; it widens by the least explored action
    near the best one. The kernel is Gaussian with the model's `action_sd`: the noise of the execution per coordinate,
    where 0 asks for equality.

    As in the paper an action leads to what it does without noise (`step_exact`), because the kernel already averages
    over executions, and an end of the episode that was seen before is not seen again: a new action near it is tried.
    For a model that hides its executions, having no `step_exact`, an action is sampled anew at every visit instead.

    Args:
        exploration: C of UCB1, at least 0; also of the lower confidence bound that chooses in the end.
        tau: smallest K(best, new action) of widening, between exp(-12.5) and 1.
        alpha_action: exponent of action widening, in (0, 1]; 1/2 in the paper.
        k_action: factor of action widening, above 0.
        n_initial: first actions of a node, drawn where the model has no `actions` of its own.
        bandwidth: width of the kernel, as a fraction of the range of actions, where the model tells no `action_sd`.
        outcome: "exact" or "sampled", as above; "auto" is "exact" for a model that offers `step_exact`.
        leaf: value of a new leaf by acting on in the "tree", or by the model's "rollout"; "auto" if it has one.
    """

    exploration: float = 1.0
    tau: float = 0.05
    alpha_action: float = 0.5
    k_action: float = 1.0
    n_initial: int = 8
    bandwidth: float = 0.05
    outcome: Literal["auto", "exact", "sampled"] = "auto"
    leaf: Literal["auto", "tree", "rollout"] = "auto"

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        require_at_least("exploration", self.exploration, 0.0)
        require_positive("tau", self.tau)
        require(math.exp(-CUTOFF) < self.tau < 1.0, "tau", self.tau, f"between {math.exp(-CUTOFF):.2g} and 1")
        require_positive("alpha_action", self.alpha_action, 1.0)
        require_positive("k_action", self.k_action)
        require_count("n_initial", self.n_initial)
        require_positive("bandwidth", self.bandwidth, 1.0)
        require_choice("outcome", self.outcome, ("auto", "exact", "sampled"))
        require_choice("leaf", self.leaf, ("auto", "tree", "rollout"))

    def unsupported(self, model: Model) -> str | None:
        """Why a model cannot be searched; see `planners.Planner`."""
        parts = {HasStepExact: self.outcome == "exact", HasRollout: self.leaf == "rollout"}
        known = offers(model, HasActionSd) and np.any(model.action_sd)
        return missing(model, *(part for part, used in parts.items() if used)) or (
            None if known else missing_action_bounds(model)
        )

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        state = check_plan(self, model, state, budget, rng)
        exact = self.outcome == "exact" or (self.outcome == "auto" and offers(model, HasStepExact))
        use_rollout = self.leaf == "rollout" or (self.leaf == "auto" and offers(model, HasRollout))
        settings = KRUCTSettings(
            self.exploration,
            self.k_action,
            self.alpha_action,
            self.tau,
            0 if offers(model, HasActions) else self.n_initial,
            _noise_of(model, self.bandwidth),
            np.ascontiguousarray(model.action_low, np.float64),
            np.ascontiguousarray(model.action_high, np.float64),
            exact,
            use_rollout,
        )
        choose = _by_lower_bound(self.exploration)
        return plan_with_tree(
            _search, settings, model, state, budget, rng, root_actions, by_state=False, columns=COLUMNS, choose=choose
        )
