"""Continuous Monte Carlo graph search (Kujanpaa, Babadi, Zhao, Kannala, Ilin, Pajarinen 2024)."""

import time
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from bonspiel.planners import Array, Budget, Decision, Model, Rng
from bonspiel.planners.cells.cmcgs.graph import (
    CMCGSSettings,
    Graph,
    GraphWalk,
    find_node,
    grow,
    new_graph,
    new_graph_walk,
    remember,
)
from bonspiel.planners.cells.cmcgs.nodes import draw_action, elite_count, learn
from bonspiel.planners.checks import (
    discrete_actions,
    missing_action_bounds,
    require,
    require_at_least,
    require_choice,
    require_count,
    require_positive,
    require_share,
    two_players,
)
from bonspiel.planners.core.actions import nearest
from bonspiel.planners.core.argmax import argmax_by
from bonspiel.planners.core.jit import Problem, gain_of, model_helper, sample_action, step
from bonspiel.planners.core.problem import PlanLength, search_kernel
from bonspiel.planners.core.search import decide, extend
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.planner import Traits, check_plan
from bonspiel.planners.spaces import LOOKAHEAD, Choice, Parameters, Range


@model_helper
def _random_return(walk: GraphWalk, problem: Problem, depth: int, steps: int, rng: Rng) -> float:
    """The return of at most `steps` random actions, from the state at this depth."""
    total, weight = 0.0, 1.0
    for passed in range(min(steps, problem.steps - depth)):
        state, next_state = walk.state[depth + passed % 2], walk.state[depth + 1 - passed % 2]
        sample_action(problem, state, walk.last, rng)
        reward, terminated = step(problem, state, walk.last, next_state, rng)
        total += weight * reward
        weight *= problem.discount
        if terminated:
            break
    return total


_EXAMPLE = CMCGSSettings(1, 1.0, 1.0, 1.0, 1.0, 1.0, 1, np.empty(1), np.empty(1))


@search_kernel(new_graph(1, 1, 1, 1, 1, 1), new_graph_walk(1, 1, 1, 1), _EXAMPLE)
def search(graph: Graph, walk: GraphWalk, problem: Problem, simulations: int, rng: Rng, settings: CMCGSSettings) -> int:
    """Simulate from the root through the layers, from node to node, then on at random; learn from the last step on."""
    for simulation in range(simulations):
        layers = graph.layers[0]
        if layers == len(graph.seen) and layers < problem.steps:
            return simulation
        near_top = rng.random() < settings.elite_probability
        copy(problem.state, walk.state[0])
        depth, terminated = 0, False
        while depth < layers and not terminated:
            state, action = walk.state[depth], walk.action[depth]
            walk.node[depth] = find_node(graph, depth, state)
            draw_action(graph, depth, walk.node[depth], near_top, action, rng, settings)
            walk.reward[depth], terminated = step(problem, state, action, walk.state[depth + 1], rng)
            depth += 1
        total = 0.0 if terminated else _random_return(walk, problem, depth, settings.rollout_steps, rng)
        for i in range(depth - 1, -1, -1):
            total = walk.reward[i] + problem.discount * total
            gain = gain_of(problem.validity, i, 1.0, total)
            remember(graph, i, walk.node[i], walk.state[i], walk.action[i], gain, total - total == 0.0)
            learn(graph, walk, i, walk.node[i], settings)
        if layers < problem.steps and graph.seen[layers - 1] > settings.samples:
            graph.layers[0] = layers + 1
    return simulations


FIRST_LAYERS = 8


@dataclass(frozen=True)
class CMCGS(PlanLength):
    """Continuous Monte Carlo graph search: a layered graph whose nodes share one policy among similar states.

    Each layer stands for a step, and each of its nodes for a cluster of the states met there. A simulation goes from
    node to node by the density of their states, draws each action from the node's Gaussian policy, which is fitted to
    the actions of its highest returns, and acts at random below the last layer. A layer whose nodes have enough
    experience gets one node more, and the last layer gets a layer below it (Kujanpaa, Babadi, Zhao, Kannala, Ilin,
    Pajarinen 2024, "Continuous Monte Carlo graph search").

    Other than in the paper, a layer is not clustered anew with one cluster more: two-means splits its largest node.
    Experiences have the discounted return that follows them instead of the whole simulation's, and the memory is of a
    fixed size instead of a fifth of the budget.

    Args:
        samples: m, experiences for each node of a layer, and of the last layer before there is one below it.
        experiences: kept in each layer, at least `samples`.
        elite_ratio: part of a node's experiences that its policy is fitted to, in (0, 1]; 5 of them at least.
        elite_probability: of a simulation that draws near one of the 3 best actions of each node, from 0 to 1.
        elite_sd: standard deviation of these draws, as a part of the range, at least 0.
        prior_shape: a of the inverse gamma prior of a policy's variance, at least 1.
        prior_scale: its b, above 0, for actions from -1 to 1.
        first_layers: layers that there are from the start.
        rollout_steps: random steps below the last layer, at least 0; None acts to the end of the episode. The
            authors' code (github.com/kallekku/cmcgs) takes 5.
        final: which action to play, the "mean" of the root's policy, or the one of the "best" simulation, as the paper
            does where transitions are deterministic. The mean is valued by the mean return of the elites, too high
            where there is noise; it stands in the decision for all of them. Where a simulation was invalid, the valid
            elite nearest to it is played.
    """

    samples: int = 25
    experiences: int = 500
    elite_ratio: float = 0.1
    elite_probability: float = 0.3
    elite_sd: float = 0.1
    prior_shape: float = 5.0
    prior_scale: float = 2.0
    first_layers: int = 3
    rollout_steps: int | None = 10
    final: Literal["mean", "best"] = "mean"

    traits: ClassVar[Traits] = Traits(takes_root_actions=False, rolls_out=False)
    tuning: ClassVar[Parameters] = {
        **LOOKAHEAD,
        "samples": Choice((10, 25, 50)),
        "elite_ratio": Range(0.05, 0.4, log=True),
        "elite_probability": Range(0.0, 0.6),
        "elite_sd": Range(0.02, 0.2, log=True),
        "prior_scale": Range(0.1, 4.0, log=True),
        "rollout_steps": Choice((0, 5, 10, None)),
        "final": Choice(("mean", "best")),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        require_count("samples", self.samples)
        require_count("experiences", self.experiences)
        require(self.experiences >= self.samples, "experiences", self.experiences, f"at least samples={self.samples}")
        require_positive("elite_ratio", self.elite_ratio, 1.0)
        require_share("elite_probability", self.elite_probability)
        require_at_least("elite_sd", self.elite_sd, 0.0)
        require_at_least("prior_shape", self.prior_shape, 1.0)
        require_positive("prior_scale", self.prior_scale)
        require_count("first_layers", self.first_layers)
        if self.rollout_steps is not None:
            require_count("rollout_steps", self.rollout_steps, 0)
        require_choice("final", self.final, ("mean", "best"))

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        return two_players(model) or discrete_actions(model) or missing_action_bounds(model)

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        start = time.perf_counter()
        state = check_plan(self, model, state, budget, rng, root_actions)
        problem = self.problem(model, state)
        low, high = (np.ascontiguousarray(bound, np.float64) for bound in (model.action_low, model.action_high))
        elites = self.elite_ratio, self.elite_probability, self.elite_sd
        rollout_steps = problem.steps if self.rollout_steps is None else self.rollout_steps
        prior = self.prior_shape, self.prior_scale
        settings = CMCGSSettings(self.samples, *elites, *prior, rollout_steps, low, high)
        steps, dims = problem.steps, (model.state_dim, len(low))
        first = min(self.first_layers, steps)
        room = min(max(first, FIRST_LAYERS), steps)
        graph = new_graph(room, self.experiences, self.experiences // self.samples, *dims, first)
        walk = new_graph_walk(steps, self.experiences, *dims)
        graph, done = extend(
            search, graph, walk, problem, model=model, settings=settings, budget=budget, rng=rng, grow=grow, start=start
        )
        return self._decision(model, graph, settings, done, start, rng, problem)

    def _decision(
        self, model: Model, graph: Graph, settings: CMCGSSettings, done: int, start: float, rng: Rng, problem: Problem
    ) -> Decision:
        """The decision by the root's experiences, the last ones where there are more than the memory keeps."""
        kept = min(done, self.experiences)
        actions, returns = graph.actions[0, :kept].copy(), graph.returns[0, :kept].copy()
        valid = graph.valid[0, :kept].copy()
        if not valid.any():  # as some were before them, or `decide` says it
            valid[:] = True
        visits = np.ones(kept, np.int64)
        if self.final == "mean" and graph.size[0, 0] > 0:
            order = np.argsort(-returns, kind="stable")
            elites, others = np.split(order, [elite_count(kept, self.elite_ratio)])
            # rounding may have put it beside the bounds
            mean = np.clip(graph.policy_mean[0, :1], settings.low, settings.high)
            if not valid.all():  # the mean may be invalid, between valid elites
                tried = elites[valid[elites]] if valid[elites].any() else np.flatnonzero(valid)
                mean = actions[tried[nearest(model, actions[tried], mean, rng)]]
            actions = np.concatenate([mean, actions[others]])
            returns = np.concatenate([[returns[elites].mean()], returns[others]])
            visits = np.concatenate([[len(elites)], visits[others]])
            return decide(actions, visits, returns[:, None], done, start, rng, lambda *_: 0, problem=problem)
        best = argmax_by(rng, np.where(valid, returns, -np.inf))
        return decide(actions, visits, returns[:, None], done, start, rng, lambda *_: best, problem=problem)
