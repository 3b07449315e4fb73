"""New actions of a node under progressive widening: when one is due, and the rule by which it is made."""

from typing import NamedTuple

from bonspiel.planners.core.jit import Problem, model_helper, sample_action
from bonspiel.planners.core.tree.blind_values import NO_BLIND_VALUES, BlindValues, best_by_blind_value
from bonspiel.planners.core.tree.nodes import SearchTree, add_edge
from bonspiel.planners.core.tree.selection import Selection, select_edge, tries_new
from bonspiel.planners.core.tree.voronoi import NO_VORONOI, Voronoi, near_best
from bonspiel.planners.core.tree.widening import schedule_action
from bonspiel.planners.core.walk import TreeWalk
from bonspiel.planners.model import Array, Rng

SAMPLED, BLIND_VALUES, VORONOI = 0, 1, 2


class NewActions(NamedTuple):
    """The rule by which nodes get new actions, as a kernel takes it; `new_actions_of` makes one.

    Attributes:
        k: factor of widening.
        alpha: its exponent.
        rule: SAMPLED takes what the model draws, BLIND_VALUES and VORONOI follow the rule of that name.
        blind_values: see there.
        voronoi: see there.
    """

    k: float
    alpha: float
    rule: int
    blind_values: BlindValues
    voronoi: Voronoi


def new_actions_of(
    k: float, alpha: float, blind_values: BlindValues = NO_BLIND_VALUES, voronoi: Voronoi | None = None
) -> NewActions:
    """Widening by k and alpha, with actions that the model draws, or by one of the rules."""
    if voronoi is not None:
        return NewActions(k, alpha, VORONOI, blind_values, voronoi)
    rule = BLIND_VALUES if blind_values.candidates > 0 else SAMPLED
    return NewActions(k, alpha, rule, blind_values, NO_VORONOI)


@model_helper
def add_sampled_action(
    tree: SearchTree, problem: Problem, node: int, state: Array, rng: Rng, k: float, alpha: float
) -> int:
    """A new edge of the node with an action that the model draws in this state."""
    edge = add_edge(tree, node)
    sample_action(problem, state, tree.action[edge], rng)
    schedule_action(tree, node, k, alpha)
    return edge


@model_helper
def _make_action(
    tree: SearchTree,
    walk: TreeWalk,
    problem: Problem,
    node: int,
    edge: int,
    rng: Rng,
    selection: Selection,
    new: NewActions,
) -> None:
    """Write the action of the node's last edge, which is new."""
    others = edge - tree.nodes[node]["first_edge"]
    if new.rule == BLIND_VALUES and others > 0:
        best_by_blind_value(tree, walk, problem, node, edge, rng, selection, new.blind_values)
    elif new.rule == VORONOI and others > 1 and rng.random() >= new.voronoi.omega:
        near_best(tree, node, edge, walk.actions[0], rng, new.voronoi)
    else:
        sample_action(problem, tree.state[node], tree.action[edge], rng)


@model_helper
def choose_widening(
    tree: SearchTree, walk: TreeWalk, problem: Problem, node: int, rng: Rng, selection: Selection, new: NewActions
) -> int:
    """The edge that progressive widening follows, a new one where it is due and urgent."""
    if not tries_new(tree, node, selection):
        return select_edge(tree, node, selection)
    edge = add_edge(tree, node)
    _make_action(tree, walk, problem, node, edge, rng, selection, new)
    schedule_action(tree, node, new.k, new.alpha)
    return edge
