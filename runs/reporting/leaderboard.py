"""The leaderboard of a run over several problems: a page, and the same tables in Markdown."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from runs.experiment import UsageError
from runs.reporting import page, tables
from runs.reporting.chart import UNITS
from runs.results.store import Store
from runs.statistics.ranks import Leaderboard, Scale, leaderboards, scales
from runs.tables import estimate, markdown


def write(store: Store) -> list[Path]:
    """Write leaderboard.html and leaderboard.md beside the results; returns their paths.

    Raises:
        UsageError: no two planners have played all problems of the run with one budget.
        OSError: they cannot be written.
    """
    boards, problems = leaderboards(store), scales(store)
    if not boards:
        raise UsageError(
            f"{store.folder}: no two planners have played all its problems with one budget, or the random policy of a "
            "problem is not known; add --planner random"
        )
    paths = [store.folder / f"leaderboard.{suffix}" for suffix in ("html", "md")]
    paths[0].write_text(html(store, boards, problems), encoding="utf-8")
    paths[1].write_text(text(store, boards, problems), encoding="utf-8")
    return paths


def title(board: Leaderboard) -> str:
    """The budget of a leaderboard in words."""
    return f"{board.budget:,g} {UNITS[board.unit]}"


def facts(board: Leaderboard, problems: Mapping[str, Scale]) -> list[str]:
    """Sentences that say how to read a leaderboard."""
    said = []
    if not math.isnan(board.critical):
        said.append(
            f"Mean ranks that differ by less than {board.critical:.2f} show no difference at 5 % (Nemenyi's test over "
            f"{len(problems)} problems); all planners equal: p = {board.p:.2g} (Friedman's test)."
        )
    if board.left_out:
        said.append(f"Not in all problems: {', '.join(board.left_out)}.")
    return said


def scale_text(problems: Mapping[str, Scale]) -> str:
    """The scales of all problems in a sentence."""
    found = []
    for env, (low, high, exact) in problems.items():
        found.append(f"{env}: {low:.4g} to {high:.4g}{'' if exact else ' (the best in this run)'}")
    return f"A score of 0 is the random policy's mean return, 1 the optimum. {'; '.join(found)}."


def text(store: Store, boards: Sequence[Leaderboard], problems: Mapping[str, Scale]) -> str:
    """The leaderboards in Markdown."""
    parts = [f"# {store.suite.name}: leaderboard", scale_text(problems)]
    for board in boards:
        rows = [["planner", "score [95 %]", "mean rank", *problems]]
        for planner, score, rank, scores in board.standings:
            rows.append([planner, estimate(score), f"{rank:.2f}", *(f"{scores[env]:.3f}" for env in problems)])
        parts += [f"## {title(board)}", markdown(rows), *facts(board, problems)]
    return "\n\n".join(parts) + "\n"


def html(store: Store, boards: Sequence[Leaderboard], problems: Mapping[str, Scale]) -> str:
    """The leaderboards as a page."""
    sections = f'<section><p class="muted">{escape(scale_text(problems))}</p></section>'
    links = []
    for place, board in enumerate(boards):
        rows = []
        for planner, score, rank, scores in board.standings:
            cells = [tables.number(scores[env]) for env in problems]
            rows.append([tables.text(planner), tables.estimate(score), tables.number(rank, ".2f"), *cells])
        caption = f"Normalised scores with {title(board)}; the mean has its 95 % interval"
        table = tables.table(caption, ["planner", "mean score", "mean rank", *problems], rows, f"leaderboard|{place}")
        said = "".join(f'<p class="muted">{escape(sentence)}</p>' for sentence in facts(board, problems))
        sections += f'<section><h2 id="board{place}">{escape(title(board))}</h2>{table}{said}</section>'
        links.append((f"board{place}", title(board)))
    return page.fill(store, sections, links, list(problems), title=f"{store.suite.name}: leaderboard")
