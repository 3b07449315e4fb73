"""UCT, PW and DPW by a thread in a tree that others share: their loops, over `planners.wrappers.threads.descent`."""

from typing import NamedTuple

from bonspiel.planners.core.jit import Problem
from bonspiel.planners.core.jit.atomics import load
from bonspiel.planners.core.problem import search_kernel
from bonspiel.planners.core.tree.leaf import value_leaf
from bonspiel.planners.core.tree.nodes import ENDED
from bonspiel.planners.model import Rng
from bonspiel.planners.trees.dpw import EXAMPLE_DPW, DPWSettings
from bonspiel.planners.trees.pw import EXAMPLE_PW, PWSettings
from bonspiel.planners.trees.uct import EXAMPLE_UCT, UCTSettings
from bonspiel.planners.wrappers.threads.additions import has_room
from bonspiel.planners.wrappers.threads.choice import Virtual, choose_of_set, choose_widening
from bonspiel.planners.wrappers.threads.descent import back_up, follow, take_outcome
from bonspiel.planners.wrappers.threads.shared_tree import (
    ACTIONS,
    EXAMPLE_TREE,
    EXAMPLE_WALK,
    NONE,
    VISITS,
    SharedTree,
    SharedWalk,
)

_VIRTUAL = Virtual(1.0, 1.0, False)


class SharedUCTSettings(NamedTuple):
    """The parameters of UCT, and how visits under way count."""

    inner: UCTSettings
    virtual: Virtual


class SharedPWSettings(NamedTuple):
    """The parameters of PW, and how visits under way count."""

    inner: PWSettings
    virtual: Virtual


class SharedDPWSettings(NamedTuple):
    """The parameters of DPW, and how visits under way count."""

    inner: DPWSettings
    virtual: Virtual


@search_kernel(EXAMPLE_TREE, EXAMPLE_WALK, SharedUCTSettings(EXAMPLE_UCT, _VIRTUAL))
def search_uct(
    tree: SharedTree, walk: SharedWalk, problem: Problem, simulations: int, rng: Rng, settings: SharedUCTSettings
) -> int:
    """UCT; see `planners.trees.uct`."""
    done, inner = 0, settings.inner
    while done < simulations and has_room(tree, walk, problem.steps):
        node, depth, leaf_value, weight = 0, 0, 0.0, 1
        while node != ENDED:
            edge = choose_of_set(tree, walk, problem, node, rng, settings.virtual, inner.actions, inner.playouts)
            if edge == NONE:
                if inner.playouts == 0:
                    return done
                leaf_value, weight = value_leaf(tree.state[node], walk.walk, problem, depth, rng, inner.playouts)
                break
            node, leaf_value, weight = follow(tree, walk, problem, depth, node, edge, rng, inner.playouts)
            depth += 1
        back_up(tree, walk, depth, leaf_value, problem.discount, problem.validity, node, weight)
        walk.walk.left[0] -= weight
        done += weight
    return done


@search_kernel(EXAMPLE_TREE, EXAMPLE_WALK, SharedPWSettings(EXAMPLE_PW, _VIRTUAL))
def search_pw(
    tree: SharedTree, walk: SharedWalk, problem: Problem, simulations: int, rng: Rng, settings: SharedPWSettings
) -> int:
    """PW; see `planners.trees.pw`."""
    done, inner = 0, settings.inner
    while done < simulations and has_room(tree, walk, problem.steps):
        node, depth, leaf_value, weight = 0, 0, 0.0, 1
        while node != ENDED:
            edge = choose_widening(tree, walk, problem, node, rng, settings)
            if edge == NONE:
                if inner.playouts == 0:
                    return done
                leaf_value, weight = value_leaf(tree.state[node], walk.walk, problem, depth, rng, inner.playouts)
                break
            node, leaf_value, weight = follow(tree, walk, problem, depth, node, edge, rng, inner.playouts)
            depth += 1
        back_up(tree, walk, depth, leaf_value, problem.discount, problem.validity, node, weight)
        walk.walk.left[0] -= weight
        done += weight
    return done


@search_kernel(EXAMPLE_TREE, EXAMPLE_WALK, SharedDPWSettings(EXAMPLE_DPW, _VIRTUAL))
def search_dpw(
    tree: SharedTree, walk: SharedWalk, problem: Problem, simulations: int, rng: Rng, settings: SharedDPWSettings
) -> int:
    """DPW; see `planners.trees.dpw`."""
    done, inner = 0, settings.inner
    while done < simulations and has_room(tree, walk, problem.steps):
        node, depth, leaf_value, weight = 0, 0, 0.0, 1
        while True:
            edge = choose_widening(tree, walk, problem, node, rng, settings)
            child = NONE
            if edge != NONE:
                child = take_outcome(tree, walk, problem, depth, node, edge, rng, inner.outcomes)
                if child == NONE:
                    return done
                node = child
                depth += 1
                if depth == problem.steps or load(tree.nodes, node, ACTIONS) == ENDED:
                    break
            elif inner.playouts == 0:
                return done
            if inner.playouts > 0 and (child == NONE or load(tree.nodes, node, VISITS) == 0):
                leaf_value, weight = value_leaf(tree.state[node], walk.walk, problem, depth, rng, inner.playouts)
                break
        back_up(tree, walk, depth, leaf_value, problem.discount, problem.validity, node, weight)
        walk.walk.left[0] -= weight
        done += weight
    return done
