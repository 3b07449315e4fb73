"""The picture of `bonspiel map`: the position, the shot with its errors, and the values of all aims per spin."""

from math import atan2, hypot, isnan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from matplotlib.ticker import PercentFormatter

from bonspiel.curling.analysis.position import THROWS, Analysis, of_mover, stopping_places
from bonspiel.curling.choice.aim_grid import WIDEST
from bonspiel.curling.env.picture import ICE, LINE, NAMES, TEAMS, draw_ice, draw_paths, draw_rests, draw_stones, moved
from bonspiel.curling.ice.physics import law_index
from bonspiel.curling.ice.sheet import STONES, TEAM_STONES
from bonspiel.curling.ice.shots import launched
from bonspiel.curling.match.state import LEAD, TIME, hammer_of, shot_of, stones_of, team_of
from bonspiel.envs.draw import INK
from bonspiel.planners.model import AimBlock, Array
from bonspiel.runs.progress import counted
from bonspiel.runs.reporting.drawing import styled

SIZE, DPI = (16.0, 9.6), 110
COLOURED = "xtick.color", "ytick.color", "axes.labelcolor", "text.color"
STYLE: Any = {"font.family": "DejaVu Sans", "font.size": 12, "axes.linewidth": 0.8, **dict.fromkeys(COLOURED, INK)}
STAR: Any = {"markersize": 22, "color": "#e8175d", "markeredgewidth": 1.5, "zorder": 8, "clip_on": False}
DOT: Any = {"markersize": 4.5, "markerfacecolor": "none", "zorder": 6}
VALUES = "viridis"
SHEET, STRIP, GAP = (6.5, 3.31), 1.2, 0.2  # inches: a sheet, the width of a strip of hits, and between them
LEFT, RIGHT, TOP, BOTTOM = 0.35, 7.35, 5.1, 1.25  # inches: where the columns and the rows of sheets begin
LEAST_RANGE = 0.01  # of the colours
SPINS = {1.0: "counter-clockwise", -1.0: "clockwise"}


class SpinAims(NamedTuple):
    """The aims of one spin with their win probabilities: draws and hits, each a block and [rows, columns]."""

    draws: tuple[AimBlock, Array]
    hits: tuple[AimBlock, Array]


def speeds(actions: Array) -> Array:
    """Launch speeds of actions, m/s."""
    return np.hypot(actions[..., 0], actions[..., 1])


def aims_by_spin(found: Analysis) -> dict[float, SpinAims]:
    """The grid of aims by spin."""
    blocks: dict[float, list[tuple[AimBlock, Array]]] = {1.0: [], -1.0: []}
    for block, value in zip(found.sweep.blocks, found.sweep.smooth, strict=True):
        blocks[float(block.actions[0, 0, 2])].append((block, value))
    slow_first = {side: sorted(both, key=lambda one: speeds(one[0].actions).max()) for side, both in blocks.items()}
    return {side: SpinAims(*both) for side, both in slow_first.items()}


def fastest_draw(aims: SpinAims) -> float:
    """The largest launch speed of draw weight, m/s; faster shots are of hit weight."""
    return float(speeds(aims.draws[0].actions).max())


def situation(found: Analysis) -> str:
    """End, stone, team, score and hammer in words."""
    state, ends = found.state, found.model.ends
    end, lead = int(state[TIME]) // STONES + 1, int(state[LEAD])
    number = f"End {end} of {ends}" if end <= ends else f"Extra end {end - ends}"
    score = f"{NAMES[lead < 0]} leads by {abs(lead)}" if lead else "level"
    shot, shots = shot_of(state) - found.model.first_shot + 1, found.model.end_shots
    place, team = f"{number}, stone {shot} of {shots}", NAMES[team_of(state)]
    return f"{place}: {team} to throw, {score}, {NAMES[hammer_of(state)]} has the hammer"


def choice(found: Analysis) -> str:
    """The shot, by the weight under which the picture marks it, and the win probabilities in words."""
    vx, vy, side = found.decision.action
    spin = 1.0 if side >= 0.0 else -1.0
    weight = "draw" if hypot(vx, vy) <= fastest_draw(aims_by_spin(found)[spin]) else "hit"
    others = len(list(moved(found.paths))) - 1
    contact = f", moves {counted(others, 'stone')}" if others else ""
    mover = NAMES[team_of(found.state)]
    expected = of_mover(found.decision.value, found.model, found.state)
    estimate = "" if isnan(expected) else f"; the search expects {expected:.0%}"
    shot = f"{SPINS[spin]}, {weight} weight, {hypot(vx, vy):.2f} m/s{contact}"
    after = f"{found.after:.0%} after it, {found.exact:.0%} if thrown exactly{estimate}"
    return f"Chosen: {shot}. Win probability of {mover}: {found.before:.0%} before it, {after}"


def draw(found: Analysis) -> Figure:
    """The figure."""
    with styled(SIZE, STYLE, dpi=DPI, facecolor="white") as figure:
        for text, down, size, weight in ((situation(found), 0.36, 19, "bold"), (choice(found), 0.76, 15, "normal")):
            height = 1.0 - down / SIZE[1]
            line = figure.text(LEFT / SIZE[0], height, text, fontsize=size, fontweight=weight, va="center")
            room = figure.bbox.width * (RIGHT + SHEET[0] + GAP + STRIP - LEFT) / SIZE[0]  # as wide as what is below
            line.set_fontsize(size * min(1.0, 0.98 * room / line.get_window_extent().width))
        _position(_sheet(figure, found, LEFT, TOP, "The position and the shot as aimed"), found)
        title = f"After it, and a dot for each stone after {THROWS} throws with errors"
        _errors(_sheet(figure, found, LEFT, BOTTOM, title), found)
        by_side = aims_by_spin(found)
        norm = _scale(np.concatenate([value.ravel() for side in by_side.values() for _, value in side]))
        for bottom, (spin, side) in zip((TOP, BOTTOM), by_side.items(), strict=True):
            axes = _sheet(figure, found, RIGHT, bottom, f"Draw weight, {SPINS[spin]}: by where it stops if unhindered")
            _draws(axes, found, *side.draws, norm)
            strip = _axes(figure, RIGHT + SHEET[0] + GAP, bottom, STRIP, SHEET[1])
            fastest = fastest_draw(side)
            _hits(strip, *side.hits, norm, fastest, found.model.law.sheet.half_width)
            _mark(axes, strip, found, spin, fastest)
        strip.set_xlabel("launch speed, m/s")
        _colour_bar(figure, found, norm)
    return figure


def save(found: Analysis, file: Path) -> None:
    """Write the picture; its format is that of the file's name."""
    draw(found).savefig(file)


def _axes(figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    """Axes at a place in inches."""
    return figure.add_axes((left / SIZE[0], bottom / SIZE[1], width / SIZE[0], height / SIZE[1]))


def _scale(values: Array) -> Normalize:
    """From the smallest value to the largest, a hundredth apart at least."""
    high = max(float(np.nanmax(values)), LEAST_RANGE)
    return Normalize(min(float(np.nanmin(values)), high - LEAST_RANGE), high)


def _sheet(figure: Figure, found: Analysis, left: float, bottom: float, title: str) -> Axes:
    """Axes with the ice: stones come from the left, the thrower's right is below."""
    axes = _axes(figure, left, bottom, *SHEET)
    axes.set_anchor("W")
    axes.set_title(title, loc="left", fontsize=13, pad=6)
    draw_ice(axes, found.model.law.sheet)
    return axes


def _position(axes: Axes, found: Analysis) -> None:
    """The stones, their ways as aimed, and a ring where each that moved comes to rest."""
    draw_paths(axes, found.model.law.sheet, found.paths)
    draw_stones(axes, stones_of(found.state))
    draw_rests(axes, found.paths)


def _errors(axes: Axes, found: Analysis) -> None:
    """The stones after the shot as aimed, and a dot for every stone of every throw."""
    draw_stones(axes, found.exactly)
    for team, colour in enumerate(TEAMS):
        places = found.throws[:, team * TEAM_STONES : (team + 1) * TEAM_STONES].reshape(-1, 2)
        axes.scatter(places[:, 1], places[:, 0], s=20, color=colour, edgecolor=INK, linewidth=0.4, alpha=0.6, zorder=6)


def _draws(axes: Axes, found: Analysis, block: AimBlock, values: Array, norm: Normalize) -> None:
    """The values over the places where the stones would stop, the lines of the sheet and the stones on top."""
    sheet = found.model.law.sheet
    across, along = np.moveaxis(stopping_places(found.model, block.actions), -1, 0)
    axes.pcolormesh(along, across, values, shading="gouraud", cmap=VALUES, norm=norm, zorder=3)
    steps = np.linspace(norm.vmin or 0.0, norm.vmax or 1.0, 11)[1:-1]
    levels = [level for level in steps if (values > level).any() and (values < level).any()]
    if levels:
        axes.contour(along, across, values, levels, colors="white", linewidths=0.7, alpha=0.45, zorder=3)
    ring = {"fill": False, "edgecolor": "white", "linewidth": 1.2, "zorder": 3.5}
    for share in (1.0, 2.0 / 3.0, 1.0 / 3.0):
        axes.add_patch(Circle((sheet.tee, 0.0), share * sheet.house_radius, **ring))
    axes.plot((sheet.tee, sheet.tee), (-sheet.half_width, sheet.half_width), color="white", linewidth=0.8, zorder=3.5)
    draw_stones(axes, stones_of(found.state))


def _hits(axes: Axes, block: AimBlock, values: Array, norm: Normalize, fastest: float, half_width: float) -> None:
    """The values by launch speed and by where the stone would cross the tee line."""
    launch, columns = speeds(block.actions).mean(axis=1), values.shape[1]
    edges = np.concatenate([[fastest], 0.5 * (launch[1:] + launch[:-1]), launch[-1:]])
    outer = WIDEST * columns / (columns - 1)
    across = np.linspace(-outer, outer, columns + 1)
    axes.pcolormesh(edges, across, values.T, cmap=VALUES, norm=norm)
    axes.set(xlim=edges[[0, -1]], ylim=(half_width + 0.02, -half_width - 0.02), facecolor=ICE)
    axes.set_title("Hit weight", loc="left", fontsize=13, pad=6)
    axes.yaxis.tick_right()
    axes.yaxis.set_label_position("right")
    axes.set_ylabel("crosses the tee line at x, m", labelpad=2)
    axes.spines[:].set_color(LINE)
    axes.tick_params(labelsize=11)


def _mark(axes: Axes, strip: Axes, found: Analysis, spin: float, fastest: float) -> None:
    """Dots at the aims that the search chose from, a star at the chosen one, as draws or as hits of this spin."""
    law, tee = law_index(found.model.physics), found.model.law.sheet.tee
    fan = np.linspace(-WIDEST, WIDEST, 83)

    def place(action: Array) -> tuple[Axes, float, float]:
        speed = hypot(action[0], action[1])
        if speed <= fastest:
            ((x, y),) = stopping_places(found.model, action[None])
            return axes, y, x
        angles = [atan2(*launched(law, x, tee, speed, spin)) for x in fan]
        return strip, speed, float(np.interp(atan2(action[0], action[1]), angles, fan))

    decision = found.decision
    for actions, marker, style in ((decision.actions, "o", DOT), (decision.action[None], "*", STAR)):
        for action in actions[actions[:, 2] * spin > 0.0]:
            on, along, across = place(action)
            on.plot(along, across, marker, markeredgecolor="white", **style)


def _colour_bar(figure: Figure, found: Analysis, norm: Normalize) -> None:
    axes, percent = _axes(figure, RIGHT, 0.72, SHEET[0], 0.2), PercentFormatter(1.0, decimals=0)
    bar = figure.colorbar(ScalarMappable(norm, VALUES), cax=axes, orientation="horizontal", format=percent)
    bar.set_label(f"expected win probability of {NAMES[team_of(found.state)]} when it aims there")
    bar.outline.set_visible(False)
    how = f"{found.planner}; {found.decision.simulations:,} simulations; physics {found.model.physics}"
    marks = "\N{BLACK STAR} the chosen aim     \N{WHITE CIRCLE} aims that the search chose from"
    for line, note in enumerate((how, marks)):
        figure.text(LEFT / SIZE[0], (0.8 - 0.32 * line) / SIZE[1], note, fontsize=12.5)
