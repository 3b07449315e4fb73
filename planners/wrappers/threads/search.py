"""UCT, PW and DPW by a thread in a tree that others share: their loops, over `planners.wrappers.threads.descent`."""

from collections.abc import Callable
from typing import Any, NamedTuple

from bonspiel.planners.core.jit import Problem, model_helper
from bonspiel.planners.core.problem import search_kernel
from bonspiel.planners.core.tree.leaf import value_leaf
from bonspiel.planners.model import Rng
from bonspiel.planners.trees.dpw import EXAMPLE_DPW, DPWSettings
from bonspiel.planners.trees.pw import EXAMPLE_PW, PWSettings
from bonspiel.planners.trees.uct import EXAMPLE_UCT, UCTSettings
from bonspiel.planners.wrappers.threads.additions import has_room
from bonspiel.planners.wrappers.threads.choice import Virtual, choose_of_set, choose_widening
from bonspiel.planners.wrappers.threads.descent import back_up, follow, follow_outcome
from bonspiel.planners.wrappers.threads.shared_tree import EXAMPLE_TREE, EXAMPLE_WALK, NONE, SharedTree, SharedWalk

_VIRTUAL = Virtual(1.0, False)


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


@model_helper
def _simulate(
    tree: SharedTree,
    walk: SharedWalk,
    problem: Problem,
    simulations: int,
    rng: Rng,
    settings: Any,
    choose: Callable[[SharedTree, SharedWalk, Problem, int, Rng, Any], int],
    follow: Callable[..., tuple[int, bool, float, int]],
) -> int:
    """Simulate from the root, as `planners.core.tree.simulation.simulate`; ends also where another thread says so."""
    done, playouts = 0, settings.inner.playouts
    while done < simulations and has_room(tree, walk, problem.steps):
        node, depth, over, leaf_value, weight = 0, 0, False, 0.0, 1
        while not over:
            edge = choose(tree, walk, problem, node, rng, settings)
            if edge == NONE:
                if playouts == 0:
                    return done
                leaf_value, weight = value_leaf(tree.state[node], walk.walk, problem, depth, rng, playouts)
                break
            node, over, leaf_value, weight = follow(
                tree, walk, problem, depth=depth, node=node, edge=edge, rng=rng, settings=settings
            )
            if node == NONE and not over:
                return done
            depth += 1
        back_up(tree, walk, depth, leaf_value, problem.discount, problem.validity, node, weight)
        walk.walk.left[0] -= weight
        done += weight
    return done


@search_kernel(EXAMPLE_TREE, EXAMPLE_WALK, SharedUCTSettings(EXAMPLE_UCT, _VIRTUAL))
def search_uct(
    tree: SharedTree, walk: SharedWalk, problem: Problem, simulations: int, rng: Rng, settings: SharedUCTSettings
) -> int:
    """UCT; see `planners.trees.uct`."""
    return _simulate(tree, walk, problem, simulations, rng, settings, choose_of_set, follow)


@search_kernel(EXAMPLE_TREE, EXAMPLE_WALK, SharedPWSettings(EXAMPLE_PW, _VIRTUAL))
def search_pw(
    tree: SharedTree, walk: SharedWalk, problem: Problem, simulations: int, rng: Rng, settings: SharedPWSettings
) -> int:
    """PW; see `planners.trees.pw`."""
    return _simulate(tree, walk, problem, simulations, rng, settings, choose_widening, follow)


@search_kernel(EXAMPLE_TREE, EXAMPLE_WALK, SharedDPWSettings(EXAMPLE_DPW, _VIRTUAL))
def search_dpw(
    tree: SharedTree, walk: SharedWalk, problem: Problem, simulations: int, rng: Rng, settings: SharedDPWSettings
) -> int:
    """DPW; see `planners.trees.dpw`."""
    return _simulate(tree, walk, problem, simulations, rng, settings, choose_widening, follow_outcome)
