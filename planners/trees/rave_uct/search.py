"""The search of RAVE and of territory: UCT whose nodes get all their edges at once, with priors."""

import math
from typing import NamedTuple

from bonspiel.planners.core.jit import (
    Problem,
    actions,
    helper,
    model_helper,
    priors,
    region,
    rollout,
    step,
    traced_rollout,
)
from bonspiel.planners.core.problem import search_kernel
from bonspiel.planners.core.tree.descent import Outcomes, take_outcome
from bonspiel.planners.core.tree.nodes import BLOCK, EDGES, ENDED, MEAN, VARIANCE, SearchTree, has_room
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.core.walk import record
from bonspiel.planners.model import Array, Rng
from bonspiel.planners.trees.rave_uct.amaf import back_up_rave, number_of
from bonspiel.planners.trees.rave_uct.selection import RaveSelection, select_rave_edge
from bonspiel.planners.trees.rave_uct.territory import note_children, note_owners, prune, renew_statistic
from bonspiel.planners.trees.rave_uct.tree import (
    EXAMPLE,
    EXAMPLE_RAVE_WALK,
    KEY,
    NO_KEY,
    PRIOR_MEAN,
    PRIOR_VISITS,
    RAVE_MEAN,
    RAVE_VISITS,
    REGION,
    SHIFT,
    RaveTree,
    RaveWalk,
)

NOT_LISTED = -1  # in place of a row of the model's actions


class RaveSettings(NamedTuple):
    """The parameters of `RaveUCT` and `TerritoryUCT` as their kernel takes them.

    Attributes:
        selection: see there; its weight is 0 without territory.
        first_play: value of an action of which nothing is known.
        grandparent: whether that value is the mean of the same key two plies up, where there is one.
        expand: visit of an edge at which its node is made.
        rave: whether RAVE visits are kept.
        traced: whether playouts are traced.
        kind: of the statistic, PTS or CRITICALITY.
        prune_low: see `planners.trees.rave_uct.territory.prune`.
        prune_high: see there too; with 0 and inf nothing is pruned.
        outcomes: the rule by which edges get outcomes.
    """

    selection: RaveSelection
    first_play: float
    grandparent: bool
    expand: int
    rave: bool
    traced: bool
    kind: int
    prune_low: float
    prune_high: float
    outcomes: Outcomes


EXAMPLE_SETTINGS = RaveSettings(
    RaveSelection(1.0, 0, 1.0, False, 0.0), 1.0, False, 2, True, True, 0, 0.0, math.inf, Outcomes(1.0, 1.0, False)
)


@helper
def _note_urgencies(known: RaveTree, walk: RaveWalk, depth: int, settings: RaveSettings) -> None:
    """Write the first-play urgency of each key for a node at this depth."""
    for number in range(known.used[0]):
        walk.urgencies[number] = settings.first_play
    if settings.grandparent and depth >= 2:
        tree, node = known.tree, walk.walk.path[depth - 2]["node"]
        first = tree.nodes[node]["first_edge"]
        for edge in range(first, first + tree.nodes[node]["actions"]):
            number = int(tree.value[edge, KEY])
            if number != NO_KEY and tree.edges[edge]["visits"] > 0:
                walk.urgencies[number] = tree.value[edge, MEAN]


@helper
def _row_of(walk: RaveWalk, action: Array, count: int) -> int:
    """Which of the model's actions this is; NOT_LISTED if none."""
    for row in range(count):
        same = True
        for i in range(len(action)):
            same = same and walk.walk.actions[row, i] == action[i]
        if same:
            return row
    return NOT_LISTED


@helper
def _init_edge(known: RaveTree, walk: RaveWalk, edge: int, row: int, settings: RaveSettings) -> None:
    """Initialise an edge for the action in this row of the model's, or for one that the model does not list."""
    value = known.tree.value
    value[edge, KEY], value[edge, MEAN], value[edge, VARIANCE] = NO_KEY, settings.first_play, 0.0
    value[edge, PRIOR_VISITS], value[edge, PRIOR_MEAN], value[edge, SHIFT] = 0.0, 0.0, 0.0
    if row != NOT_LISTED:
        number = number_of(known, walk.walk.keys[row], False)
        if number != NO_KEY:
            value[edge, KEY], value[edge, MEAN] = number, walk.urgencies[number]
        if len(walk.priors) > 0:
            value[edge, PRIOR_VISITS], value[edge, PRIOR_MEAN] = walk.priors[row, 0], walk.priors[row, 1]
    value[edge, RAVE_VISITS], value[edge, RAVE_MEAN] = value[edge, PRIOR_VISITS], value[edge, PRIOR_MEAN]


@model_helper
def expand_node(
    known: RaveTree, walk: RaveWalk, problem: Problem, depth: int, node: int, rng: Rng, settings: RaveSettings
) -> None:
    """Give a node all its edges, in random order; the root may have been given some of them."""
    tree, moves = known.tree, walk.walk.actions
    state = tree.state[node]
    count = actions(problem, state, moves, walk.walk.keys)
    if len(walk.priors) > 0:
        priors(problem, state, moves[:count], walk.priors[:count])
    for row in range(count):
        number_of(known, walk.walk.keys[row], True)
    _note_urgencies(known, walk, depth, settings)
    tree.nodes[node]["due"] = 0  # not pruned yet
    if tree.nodes[node]["actions"] > 0:
        for edge in range(tree.nodes[node]["first_edge"], tree.nodes[node]["first_edge"] + tree.nodes[node]["actions"]):
            _init_edge(known, walk, edge, _row_of(walk, tree.action[edge], count), settings)
            tree.value[edge, REGION] = region(problem, tree.action[edge])
        return
    first = tree.size[EDGES]
    tree.size[EDGES] = first + count
    tree.size[BLOCK] = max(tree.size[BLOCK], count)
    tree.nodes[node]["first_edge"], tree.nodes[node]["actions"] = first, count
    for row in range(count):
        walk.order[row] = row
    for place in range(count):
        other = place + int(rng.random() * (count - place))
        row = walk.order[other]
        walk.order[other] = walk.order[place]
        edge = first + place
        tree.edges[edge]["visits"] = 0
        tree.edges[edge]["due"] = 0
        tree.edges[edge]["outcomes"] = 0
        tree.edges[edge]["first_outcome"] = 0
        copy(moves[row], tree.action[edge])
        _init_edge(known, walk, edge, row, settings)
        tree.value[edge, REGION] = region(problem, moves[row])


@model_helper
def _play_out(walk: RaveWalk, problem: Problem, state: Array, depth: int, rng: Rng, traced: bool) -> float:
    """The return of a playout from a state, `depth` steps ahead."""
    copy(state, walk.walk.state[0])
    if not traced:
        return rollout(problem, walk.walk.state[0], walk.walk.state[1], problem.steps - depth, rng)
    return traced_rollout(
        problem, walk.walk.state[0], walk.walk.state[1], problem.steps - depth, rng, walk.keys, walk.movers, walk.owners
    )


@helper
def _has_room(tree: SearchTree, walk: RaveWalk) -> bool:
    """True if a node and all its edges can be added."""
    return has_room(tree, 1) and tree.size[EDGES] + len(walk.order) <= len(tree.edges)


@search_kernel(EXAMPLE, EXAMPLE_RAVE_WALK, EXAMPLE_SETTINGS)
def search(
    known: RaveTree, walk: RaveWalk, problem: Problem, simulations: int, rng: Rng, settings: RaveSettings
) -> int:
    """Simulate: down the tree, a playout from where it is left, and up again; a node is made where it is due."""
    tree, steps = known.tree, walk.walk
    pruned = known.territory.children.shape[1] > 0
    for simulation in range(simulations):
        if not _has_room(tree, walk):
            return simulation
        if tree.nodes[0]["visits"] == 0:
            expand_node(known, walk, problem, 0, 0, rng, settings)
        node, leaf, depth, value, played_out = 0, 0, 0, 0.0, False
        while True:
            edge = select_rave_edge(tree, known.territory, node, settings.selection)
            visits = tree.edges[edge]["visits"]
            if visits + 1 < settings.expand:
                reward, ended = step(problem, tree.state[node], tree.action[edge], steps.state[0], rng)
                record(steps, depth, node, edge, reward)
                depth += 1
                if not ended and depth < problem.steps:
                    value, played_out = _play_out(walk, problem, steps.state[0], depth, rng, settings.traced), True
                break
            node = take_outcome(tree, steps, problem, depth, node, edge, rng, settings.outcomes)
            depth += 1
            if tree.edges[edge]["outcomes"] == 1 and tree.nodes[node]["visits"] == 0:
                tree.nodes[node]["visits"] = visits  # of those before it, which draws of outcomes count too
            if tree.nodes[node]["actions"] == ENDED or depth == problem.steps:
                tree.nodes[node]["visits"] += 1
                break
            if tree.nodes[node]["actions"] == 0:
                expand_node(known, walk, problem, depth, node, rng, settings)
                tree.nodes[node]["visits"] += 1
                leaf = node
                value, played_out = _play_out(walk, problem, tree.state[node], depth, rng, settings.traced), True
                break
        traced = settings.traced and played_out and value == value  # an invalid playout leaves no trace
        back_up_rave(known, walk, depth, value, traced, problem.discount, problem.validity, settings.rave)
        if traced and settings.selection.weight > 0.0:
            note_owners(known.territory, walk.owners)
            renew_statistic(known.territory, settings.kind)
        if traced and pruned:
            note_children(known, walk, depth, leaf)
            for i in range(depth):
                prune(known, steps.path[i]["node"], settings.prune_low, settings.prune_high)
    return simulations
