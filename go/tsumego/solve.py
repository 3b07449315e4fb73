"""`bonspiel solve`: the verdict on a problem of life and death, the main line, and a picture."""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bonspiel.go.model import Go
from bonspiel.go.neighbourhoods import BLACK
from bonspiel.go.picture import draw_board
from bonspiel.go.state import LAST, first_state
from bonspiel.go.tsumego.problem import ALL, COLOURS, SWITCHES, Solution, SwitchesOfTsumego, Tsumego, solve_tsumego
from bonspiel.go.tsumego.problem_file import read_problem, write_problem
from bonspiel.go.vertices import vertex_of
from bonspiel.planners.dfpn.solve import ProofLimits
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.files import check_writable, writing
from bonspiel.runs.progress import LINE_SECONDS, counted
from bonspiel.runs.verbs.command_line import DONE

PICTURES = ".png", ".svg"
WORDS = {"won": "wins", "lost": "loses", "ko": "needs a ko", "open": "open"}


def switches_of(text: str) -> SwitchesOfTsumego:
    """The switches that a text names: none, all, or names with commas between.

    Raises:
        UsageError: an unknown one.
    """
    if text in ("none", "all"):
        return ALL if text == "all" else SwitchesOfTsumego()
    names = text.split(",")
    for name in names:
        if name not in SWITCHES:
            raise UsageError(f"--switches {text}: {name!r} is not one of none, all, {', '.join(SWITCHES)}")
    return SwitchesOfTsumego(**{name: True for name in names})


def main(file: Path, switches: str, limits: ProofLimits, as_json: bool, picture: Path | None, out: Path | None) -> int:
    """Solve the problem of a file; see `go.verbs`."""
    chosen, tsumego = switches_of(switches), read_problem(file)
    if picture is not None:
        check_writable(picture, PICTURES)
    if out is not None:
        check_writable(out, (".sgf",))
    solution = solve_tsumego(tsumego, chosen, limits, _reporter())
    if out is not None:
        with writing(out):
            out.write_text(write_problem(tsumego, solution), "utf-8")
    if picture is not None:
        draw(tsumego, solution, picture)
    found = facts(tsumego, solution)
    print(json.dumps(found | {"switches": switches}) if as_json else "\n".join(lines(tsumego, solution)))
    return DONE


def _reporter() -> Callable[[int, int, int], None]:
    """A function that prints the progress of a search on standard error, at most every LINE_SECONDS."""
    last = time.monotonic()

    def report(nodes: int, phi: int, delta: int) -> None:
        nonlocal last
        if time.monotonic() - last >= LINE_SECONDS:
            last = time.monotonic()
            print(f"{nodes:,} nodes; left to prove {phi:,}, to disprove {delta:,}", file=sys.stderr, flush=True)

    return report


def facts(tsumego: Tsumego, solution: Solution) -> dict[str, Any]:
    """The solution for JSON; phi and delta are the work left to prove, and to disprove, that the mover wins."""
    answer = solution.second or solution.first
    return {
        "mover": COLOURS[tsumego.mover],
        "verdict": solution.verdict,
        "line": [vertex_of(move, tsumego.size) for move in solution.line],
        "nodes": solution.nodes,
        "seconds": round(solution.seconds, 3),
        "proof": solution.decisive.proof,
        "phi": answer.phi,
        "delta": answer.delta,
        "reason": answer.reason,
    }


def lines(tsumego: Tsumego, solution: Solution) -> list[str]:
    """The solution for people, line by line."""
    found = facts(tsumego, solution)
    verdict = f"{found['mover']} to move: {WORDS[solution.verdict]}"
    if solution.verdict == "open":
        verdict += f" ({found['reason']}; left to prove {found['phi']:,}, to disprove {found['delta']:,})"
    rate = solution.nodes / solution.seconds if solution.seconds > 0.0 else 0.0
    work = f"{counted(solution.nodes, 'node')}, {solution.seconds:.2f} s, {rate:,.0f} nodes/s"
    shown = [verdict, f"work   {work}"]
    if solution.decisive.proof is not None:
        shown.append(f"proof  {counted(solution.decisive.proof, 'position')}")
    return [*shown, f"line   {' '.join(found['line'])}"] if found["line"] else shown


def draw(tsumego: Tsumego, solution: Solution, file: Path) -> None:
    """Draw the problem with the first move, if there is one to show."""
    from matplotlib.figure import Figure

    size = tsumego.size
    state = first_state(size, False)
    state[: size * size] = tsumego.stones
    if solution.line and solution.line[0] < size * size:
        state[solution.line[0]] = 1.0 if tsumego.mover == BLACK else -1.0
        state[size * size + LAST] = solution.line[0]
    figure = Figure()
    caption = WORDS[solution.verdict]
    draw_board(figure, Go(size), np.asarray(state), f"{COLOURS[tsumego.mover]} to move", caption)
    with writing(file):
        figure.savefig(file)
