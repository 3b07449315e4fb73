"""The verb `tree`: a picture of one decision."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bonspiel.runs.experiment import UsageError, number
from bonspiel.runs.files import check_writable, unused, writing
from bonspiel.runs.verbs.command_line import DONE, Verb, add_decision, prepared
from bonspiel.runs.verbs.options import option

if TYPE_CHECKING:
    from bonspiel.planners import Array, Decision

PICTURES = ".png", ".svg"
ROWS = 10


def tree(arguments: argparse.Namespace) -> int:
    """Plan once from an initial state, print the root's actions, and draw the tree."""
    import numpy as np

    from bonspiel.planners.contract.decisions import checked_plan
    from bonspiel.planners.core.search import kept_trees
    from bonspiel.runs.reporting.tree import picture
    from bonspiel.runs.runner.episode import failures_named
    from bonspiel.runs.suite import model_of

    out: Path = arguments.out or unused("tree", PICTURES[0])
    check_writable(out, PICTURES)
    model = model_of(arguments.env)
    planner, budget, seed = prepared(arguments, model)
    rng = np.random.default_rng(seed)
    axes = coordinates(arguments.axes, model.state_dim, getattr(model, "time_index", None))
    state = model.initial_state(rng)
    with kept_trees() as trees, failures_named(arguments.planner, arguments.env):
        decision = checked_plan(planner, model, state, budget, rng)
    print("\n".join(actions_of(decision)))
    title = f"{arguments.planner} in {arguments.env}, {arguments.budget} simulations"
    figure = picture(model, title, state, decision, trees[-1] if trees else None, axes)
    out = arguments.out or unused("tree", PICTURES[0])  # another one may have been written meanwhile
    with writing(out):
        figure.savefig(out)
    print(f"picture {out}")
    return DONE


def actions_of(decision: "Decision") -> list[str]:
    """Return a table of the root's actions with most visits, then best returns, and the chosen one among them."""
    import numpy as np

    lines = [f"{'visits':>8}  {'mean return':>12}  action"]
    order = np.lexsort((-decision.values, -decision.visits))
    chosen = next((index for index in order if (decision.actions[index] == decision.action).all()), None)
    shown = [*order[:ROWS], *[index for index in order[ROWS:] if index == chosen]]
    for index in shown:
        row = _row(f"{decision.visits[index]}", decision.values[index], decision.actions[index])
        lines.append(f"{row}  (chosen)" if index == chosen else row)
    if len(shown) < len(order):
        lines.append(f"... and {len(order) - len(shown)} more")
    if chosen is None:  # a mean of sequences, say
        lines.append(f"{_row('-', decision.value, decision.action)}  (chosen, none of the above)")
    return lines


def _row(visits: str, value: float, action: "Array") -> str:
    return f"{visits:>8}  {value:>12.4f}  {', '.join(f'{coordinate:.4g}' for coordinate in action)}"


def coordinates(given: str | None, dim: int, time_index: int | None) -> tuple[int, int]:
    """Two coordinates of a state: those given, as "0,1", else the first two that do not count the steps."""
    if given is None:
        others = [index for index in range(dim) if index != time_index]
        first, second = [*others, *[index for index in range(dim) if index not in others], 0][:2]
        return first, second
    try:
        first, second = (int(item) for item in given.split(","))
    except ValueError:
        raise UsageError(f"--axes {given}: must be two numbers, e.g. 0,1") from None
    for index in (first, second):
        number("axes", index, 0, dim - 1, whole=True)
    return first, second


def add_verbs(verb: Verb) -> None:
    """Add the verb to the command line."""
    example = "bonspiel tree treasure_hunt --planner abstraction --budget 1000"
    command = verb("tree", tree, "draw one decision: the root's actions, and the tree over the states", example)
    add_decision(command, "abstraction", 1000)
    text = "coordinates I and J of the state as axes, from 0 (default: the first two, without the count of steps)"
    option(command, "--axes", "I,J", text)
    text = "file for the picture, PNG or SVG (default: tree.png, or tree-2.png, ... if that exists)"
    option(command, "--out", "FILE", text)
