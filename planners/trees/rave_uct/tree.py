"""The tree of RAVE: nodes that get all their edges at once, and the keys of the actions that occur in them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.checks import offers
from bonspiel.planners.core.hash_table import new_slots
from bonspiel.planners.core.jit import Problem
from bonspiel.planners.core.tree.nodes import COLUMNS, EXAMPLE_TREE, NODES, SearchTree, longer, new_tree
from bonspiel.planners.core.tree.nodes import grow as grow_tree
from bonspiel.planners.core.walk import EXAMPLE_WALK, TreeWalk, new_walk
from bonspiel.planners.model import Array, HasPriors, HasTracedRollout, Model

# columns of SearchTree.value beside those of all searches. An edge's key is a number that the search gives it, or
# NO_KEY; its shift is added to every score: 0, or -inf where it was pruned
RAVE_MEAN, RAVE_VISITS, PRIOR_MEAN, PRIOR_VISITS, KEY, REGION, SHIFT = range(COLUMNS, COLUMNS + 7)
RAVE_COLUMNS = SHIFT + 1
NO_KEY = -1
MOST_KEYS = 4_096  # that a search distinguishes; other actions have no key


class Territory(NamedTuple):
    """Owners of the regions in the playouts of a search, for player +1.

    Attributes:
        sums: of the owners in all playouts, in those that +1 won, and in those that -1 won; number of playouts in which
            +1, -1, and the winner owned the region, [6, n_regions].
        playouts: number of all, of those that +1 won, and of those that -1 won, [3].
        statistic: PTS or criticality of each region, [n_regions].
        children: summed owners of the playouts through each node, and their number, [n, n_regions + 1]; [n, 0] without
            pruning.
    """

    sums: Array
    playouts: Array
    statistic: Array
    children: Array


class RaveTree(NamedTuple):
    """A tree, the keys of its actions, and the territory in playouts.

    Attributes:
        tree: nodes and edges.
        names: the keys that have numbers, uint64 [MOST_KEYS].
        slots: hash table over them.
        used: number of them, int64 [1].
        territory: see there.
    """

    tree: SearchTree
    names: NDArray[np.uint64]
    slots: NDArray[np.int64]
    used: NDArray[np.int64]
    territory: Territory


class RaveWalk(NamedTuple):
    """The simulation under way.

    Attributes:
        walk: the steps within the tree.
        priors: for the model's `priors` to write into, [max_actions, 2].
        keys: of the actions that the playout traced, uint64 [steps + 1].
        movers: their players, 0 after the last, [steps + 1].
        owners: of the regions after the playout, and who won it, [n_regions + 1].
        first: the player who played each key first, seen from the place at hand, or 0, [MOST_KEYS].
        urgencies: first-play urgency by key, from two plies up, [MOST_KEYS].
        order: of the actions of a new node, int64 [max_actions].
    """

    walk: TreeWalk
    priors: Array
    keys: NDArray[np.uint64]
    movers: Array
    owners: Array
    first: Array
    urgencies: Array
    order: NDArray[np.int64]

    @property
    def path(self) -> NDArray[np.void]:
        """Steps within the tree."""
        return self.walk.path


def _territory(regions: int, nodes: int, children: bool) -> Territory:
    tables = np.zeros((6, regions)), np.zeros(3), np.zeros(regions)
    return Territory(*tables, np.zeros((nodes, regions + 1 if children else 0)))


_EXAMPLE_KEYS = np.zeros(1, np.uint64)
_NUMBERS = np.zeros(1, np.int64)
EXAMPLE = RaveTree(EXAMPLE_TREE, _EXAMPLE_KEYS, _NUMBERS, _NUMBERS, _territory(1, 1, False))
_ROW = np.zeros(1)
EXAMPLE_RAVE_WALK = RaveWalk(EXAMPLE_WALK, np.zeros((1, 2)), _EXAMPLE_KEYS, _ROW, _ROW, _ROW, _ROW, _NUMBERS)


def new_rave_tree(
    model: Model, problem: Problem, nodes: int, root_actions: Array | None, first_play: float, children: bool
) -> RaveTree:
    """A tree of one root; `children`: whether the owners of the playouts through each node are summed."""
    tree = new_tree(model, problem, nodes, root_actions, False, RAVE_COLUMNS, first_play)
    regions = model.n_regions if offers(model, HasTracedRollout) else 0
    keys = np.empty(MOST_KEYS, np.uint64), new_slots(MOST_KEYS), np.zeros(1, np.int64)
    return RaveTree(tree, *keys, _territory(regions, len(tree.nodes), children))


def kept_part(known: RaveTree, tree: SearchTree, origin: NDArray[np.int64]) -> RaveTree:
    """The statistics of a kept tree, whose node i was node `origin[i]` of the known one; keys stay as they are."""
    nodes, old = int(tree.size[NODES]), known.territory
    children = np.zeros((len(tree.nodes), old.children.shape[1]))
    children[:nodes] = old.children[origin[:nodes]]
    return known._replace(tree=tree, territory=old._replace(children=children))


def new_rave_walk(model: Model, steps: int, priors: bool) -> RaveWalk:
    """Room for simulations of at most this many steps; actions start with nothing unless there are `priors`."""
    walk = new_walk(model, steps)
    regions = model.n_regions if offers(model, HasTracedRollout) else 0
    most = len(walk.actions)
    started = most if priors and offers(model, HasPriors) else 0
    return RaveWalk(
        walk,
        np.zeros((started, 2)),
        np.empty(steps + 1, np.uint64),
        np.zeros(steps + 1),
        np.zeros(regions + 1),
        np.zeros(MOST_KEYS),
        np.zeros(MOST_KEYS),
        np.empty(most, np.int64),
    )


def grow(known: RaveTree, walk: RaveWalk, factor: float) -> RaveTree:
    """The same with room for `factor` times what it holds."""
    nodes = int(known.tree.size[NODES])
    tree = grow_tree(known.tree, walk.walk, factor)
    children = longer(known.territory.children, nodes, len(tree.nodes))
    children[nodes:] = 0.0
    return known._replace(tree=tree, territory=known.territory._replace(children=children))
