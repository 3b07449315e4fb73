"""The picture of `bonspiel tree`: visits and values of the root's actions, and the tree over two state coordinates."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from bonspiel.planners import Array, Decision, Model
from bonspiel.planners.abstraction.cells import node_key
from bonspiel.planners.abstraction.fixed.trie import FixedTrie
from bonspiel.planners.core.problem import DEFAULTS, problem_of
from bonspiel.planners.core.tree.nodes import SearchTree
from bonspiel.planners.core.zobrist import LEVELS
from bonspiel.runs.reporting.drawing import styled
from bonspiel.runs.reporting.styles import GREY, INK

SIZE, DPI = (13.0, 5.6), 110
COLOURS = "viridis"
CHOSEN: Any = {"marker": "*", "markersize": 16, "color": "#D55E00", "markeredgecolor": "white", "linestyle": "none"}
ROOT: Any = {"marker": "s", "markersize": 9, "color": "white", "markeredgecolor": INK, "linestyle": "none"}
FENCE = 1.5  # interquartile ranges (Tukey 1977)
CELLS = 200  # points of each axis at which the depth of the cell is looked up


def picture(model: Model, title: str, state: Array, decision: Decision, tree: Any, axes: tuple[int, int]) -> Figure:
    """The figure of a decision in a state, over two of its coordinates; other trees than these two are not drawn."""
    drawn = isinstance(tree, SearchTree | FixedTrie)
    with styled(SIZE if drawn else (0.55 * SIZE[0], SIZE[1]), dpi=DPI, layout="constrained") as figure:
        left, *rest = figure.subplots(1, 1 + drawn, squeeze=False)[0]
        figure.suptitle(title, color=INK, fontweight="bold")
        _root(figure, left, decision)
        for panel in rest:
            if isinstance(tree, FixedTrie):
                _cells(figure, panel, model, state, tree, axes)
            else:
                _nodes(figure, panel, tree, axes)
            panel.plot(state[axes[0]], state[axes[1]], label="root", zorder=5, clip_on=False, **ROOT)
            panel.legend(loc="best", facecolor="#d9d9d9")
            panel.set(xlabel=f"state[{axes[0]}]", ylabel=f"state[{axes[1]}]")
    return figure


def _root(figure: Figure, panel: Axes, decision: Decision) -> None:
    """The root's actions: value over a single coordinate, else value as colour over two; visits as size."""
    actions, values, visits = decision.actions, decision.values, decision.visits
    tried = visits > 0
    sizes = 12.0 + 400.0 * visits / max(visits.max(), 1)
    if actions.shape[1] == 1:
        panel.scatter(actions[tried, 0], values[tried], sizes[tried], c="#0072B2", alpha=0.6, linewidths=0)
        panel.plot(decision.action[0], decision.value, label="chosen", **CHOSEN)
        panel.set(xlabel="action", ylabel="mean return")
    else:
        xs, ys = actions[tried, 0], actions[tried, 1]
        norm, beyond = scale_of(values[tried])
        shown = panel.scatter(xs, ys, sizes[tried], c=values[tried], cmap=COLOURS, norm=norm, linewidths=0)
        figure.colorbar(shown, ax=panel, label="mean return", extend=beyond)
        panel.plot(decision.action[0], decision.action[1], label="chosen", **CHOSEN)
        panel.set(xlabel="action[0]", ylabel="action[1]")
    panel.set_title(f"root: {tried.sum()} of {len(actions)} actions tried; size: visits", color=GREY, fontsize=10)
    panel.legend(loc="best", frameon=False)


def scale_of(values: Array) -> tuple[Normalize, str]:
    """Return the scale of colours, and at which of its ends there are values beyond it, as colour bars call them.

    A value further than FENCE outside the quartiles would leave one colour to all the others.
    """
    known = values[np.isfinite(values)]
    first, third = np.quantile(known, (0.25, 0.75)) if len(known) else (0.0, 1.0)
    reach = FENCE * (third - first)
    within = known[(known >= first - reach) & (known <= third + reach)] if reach > 0.0 else known
    low, high = (within.min(), within.max()) if len(within) else (first, third)
    ends = {(False, False): "neither", (True, False): "min", (False, True): "max", (True, True): "both"}
    return Normalize(low, high), ends[bool((known < low).any()), bool((known > high).any())]


def _nodes(figure: Figure, panel: Axes, tree: SearchTree, axes: tuple[int, int]) -> None:
    """The states of the tree's nodes, with their visits as colour."""
    count = int(tree.size[0])
    visits = np.maximum(tree.nodes["visits"][:count], 1)
    order = np.argsort(visits)
    places = tree.state[:count][order]
    shown = panel.scatter(
        places[:, axes[0]], places[:, axes[1]], 14.0, c=visits[order], norm="log", cmap=COLOURS, linewidths=0
    )
    figure.colorbar(shown, ax=panel, label="visits")
    panel.set_title(f"{count} nodes at their states", color=GREY, fontsize=10)


def _cells(figure: Figure, panel: Axes, model: Model, state: Array, trie: FixedTrie, axes: tuple[int, int]) -> None:
    """The depth of the finest cell at each place, the other coordinates being the root's."""
    low, high = _extent(model, state, axes)
    depth = cell_depths(model, state, trie, axes, low, high)
    extent = (low[0], high[0], low[1], high[1])
    norm, beyond = scale_of(depth.ravel().astype(float))
    look: Any = {"cmap": COLOURS, "norm": norm, "interpolation": "nearest"}
    shown = panel.imshow(depth.T, origin="lower", extent=extent, aspect="auto", **look)
    figure.colorbar(shown, ax=panel, label="depth of the finest cell", ticks=MaxNLocator(integer=True), extend=beyond)
    panel.grid(visible=False)
    panel.set_title(f"{int(trie.size[0])} cells, coarse to fine", color=GREY, fontsize=10)


def _extent(model: Model, state: Array, axes: tuple[int, int]) -> tuple[Array, Array]:
    """The smallest and the largest state to draw, [2] each: the model's bounds, or one around the root without them."""
    low = np.array(getattr(model, "state_low", state - 1.0), float)[list(axes)]
    high = np.array(getattr(model, "state_high", state + 1.0), float)[list(axes)]
    root = state[list(axes)]
    return np.where(np.isfinite(low), low, root - 1.0), np.where(np.isfinite(high), high, root + 1.0)


def cell_depths(
    model: Model, state: Array, trie: FixedTrie, axes: tuple[int, int], low: Array, high: Array
) -> NDArray[np.int64]:
    """The depth of the finest cell in a trie at each point of a grid, [CELLS, CELLS]; -1 where there is none.

    Args:
        model: that was searched.
        state: gives the coordinates that are not on the axes, [state_dim].
        trie: what the search left.
        axes: the two coordinates of the grid.
        low: their smallest values, [2].
        high: their largest values, [2].
    """
    known = {int(key) for key in trie.keys[: int(trie.size[0])]}
    problem = problem_of(model, state, cells=True)
    cells: Any = getattr(model, "cells", None) or DEFAULTS["cells"]
    hashes, place = np.empty(LEVELS, np.uint64), state.copy()
    depths = np.full((CELLS, CELLS), -1)
    columns, rows = (low[i] + (high[i] - low[i]) * (np.arange(CELLS) + 0.5) / CELLS for i in range(2))
    for i, x in enumerate(columns):
        for j, y in enumerate(rows):
            place[axes[0]], place[axes[1]] = x, y
            cells(place, 0, LEVELS, problem.cell_params, hashes)
            while depths[i, j] + 1 < LEVELS and int(node_key(hashes[d := depths[i, j] + 1], d, 1.0)) in known:
                depths[i, j] += 1
    return depths
