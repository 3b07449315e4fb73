"""The leaderboard of a run over several problems: a page, its tables in Markdown, and figures for papers."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from bonspiel.runs.experiment import UsageError
from bonspiel.runs.reporting.drawing import svg
from bonspiel.runs.reporting.leaderboards import leaders, multiples, ranks_diagram
from bonspiel.runs.reporting.leaderboards import page as leaderboard_page
from bonspiel.runs.reporting.leaderboards.boards import Findings, Rows, Value, title
from bonspiel.runs.results.store import Store
from bonspiel.runs.statistics.ranks import THRESHOLDS, Leaderboard
from bonspiel.runs.statistics.sample import Interval
from bonspiel.runs.statistics.scale import CONSTANT
from bonspiel.runs.tables import estimate, markdown

SHOWN = 0.3, 0.5, 0.7, 0.9  # thresholds of the table of profiles


def write(store: Store, beside: Sequence[Store] = (), planners: Sequence[str] = (), made: str = "") -> list[Path]:
    """Write leaderboard.html, leaderboard.md and the figures into the run's folder; returns their paths.

    The planners of the runs `beside` are ranked too where they played the same problems, and only those of these names
    if there are any; `made` is the command with its version and commit.
    """
    found = Findings.of([store, *beside], planners, made)
    if not found.boards:
        raise UsageError(
            f"{store.folder}: no two planners besides random and do_nothing have played all its problems with one "
            "budget: add another; or no problem has a scale: add --planner random --planner do_nothing"
            + "".join(f"; {line.rstrip('.')}" for line in found.unranked)
        )
    drawn = figures(found)
    paths = [store.folder / f"leaderboard.{suffix}" for suffix in ("html", "md")]
    paths[0].write_text(leaderboard_page.text(store, found), encoding="utf-8")
    paths[1].write_text(text(store, found, drawn), encoding="utf-8")
    for name, figure in drawn.items():
        paths.append(store.folder / name)
        paths[-1].write_bytes(svg(figure))
    return paths


def figures(found: Findings) -> dict[str, Figure]:
    """The figures by file name: scores against model steps, and profiles and ranks with the largest budget."""
    result = {}
    if any(board.unit == "simulations" for board in found.boards):
        result["leaderboard.svg"] = leaders.draw(found)
    if found.charted:
        curves = {planner: points for planner, points in found.charted.items() if len(points) > 1}  # of several budgets
        drawn = curves or found.charted
        steps = {planner: multiples.Curve(*np.array(points).T[:4]) for planner, points in drawn.items()}
        x, y = "model steps per decision, mean over the problems", "mean normalised score, 95 % interval"
        result["leaderboard-steps.svg"] = multiples.draw(steps, x, y, found.scale, log=True)
    board = largest(found)
    profiles = {one.planner: multiples.Curve(THRESHOLDS, *one.profile) for one in board.standings}
    x, y = f"normalised score of an episode, with {title(board)}", "share of episodes above it, 95 % band"
    result["leaderboard-profiles.svg"] = multiples.draw(profiles, x, y, found.scale, log=False)
    if not math.isnan(board.critical):
        result["leaderboard-ranks.svg"] = ranks_diagram.draw(board)
    return result


def largest(found: Findings) -> Leaderboard:
    """The board with the largest budget, in simulations if there is one."""
    return max(found.boards, key=lambda board: (board.unit == "simulations", board.budget))


def text(store: Store, found: Findings, drawn: dict[str, Figure]) -> str:
    """The leaderboards in Markdown, with links to figures of these names."""
    parts = [f"# {store.suite.name}: leaderboard", *found.unranked, found.scale_sentence, scales(found)]
    captions = {
        "leaderboard.svg": "Score against simulations: the first three in the mean at any budget; all others in grey",
        "leaderboard-steps.svg": "Score against model steps per decision, each planner before all others in grey",
        "leaderboard-profiles.svg": f"Performance profiles with {title(largest(found))}",
        "leaderboard-ranks.svg": f"Mean ranks with {title(largest(found))}; bars join what shows no difference",
    }
    parts += [f"![{captions[name]}]({name})\n\n{captions[name]}." for name in drawn]
    if found.charted and found.uncharted:
        parts.append(f"Without model steps that can be counted in all problems: {', '.join(found.uncharted)}.")
    for board in found.boards:
        parts += [f"## {title(board)[0].upper()}{title(board)[1:]}", plain(found.standings(board, bands=False))]
        what, costs = found.cost_rows(board)
        parts += [*found.facts(board), f"{what}:", plain(costs), profiles(board)]
    if found.runs:
        parts += ["## Runs", plain(found.runs), f"Made by {found.made}."]
    return "\n\n".join(parts) + "\n"


def scales(found: Findings) -> str:
    """The scale of each problem."""
    rows = [["problem", "score 0", "is", "score 1", "is the", f"score of the best {CONSTANT}"]]
    for env, scale in found.problems.items():
        constant = "" if scale.constant is None else f"{scale.scores(scale.constant):.3f}"
        rows.append([env, f"{scale.low:.4g}", scale.zero, f"{scale.high:.4g}", scale.top, constant])
    return markdown(rows)


def plain(rows: Rows) -> str:
    """A table in Markdown."""
    return markdown([[_plain(value) for value in row] for row in rows])


def _plain(value: Value) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Interval):
        return estimate(value)
    number, digits = value
    return f"{number:{digits}}" if math.isfinite(number) else ""


def profiles(board: Leaderboard) -> str:
    """The shares of episodes above some scores."""
    places = [int(np.abs(THRESHOLDS - shown).argmin()) for shown in SHOWN]
    rows = [["share of episodes with a score", *(f"above {shown}" for shown in SHOWN)]]
    for one in board.standings:
        rows.append([one.planner, *(f"{one.profile.share[place]:.2f}" for place in places)])
    return markdown(rows)
