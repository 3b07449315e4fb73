"""The page of a recorded game: a board, and buttons and keys to go through the moves."""

import html
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bonspiel.go.checks import check_move
from bonspiel.go.games.record import GoRecord
from bonspiel.go.picture import star_points
from bonspiel.go.state import MOVER
from bonspiel.go.vertices import COLUMNS, vertex_of
from bonspiel.html_template import fill_template, json_for_html

MARKS = {0.0: ".", 1.0: "X", -1.0: "O"}
COLOURS = ("Black", "White")


def page_of(record: GoRecord, advance: Callable[[], None]) -> str:
    """A self-contained HTML page; `advance` is called after every move.

    Raises:
        ValueError: a move on record is illegal.
    """
    model = record.model
    rng = np.random.default_rng(0)
    state = model.initial_state(rng)
    positions = [{"points": "." * model.area, "move": -1, "text": "the empty board"}]
    for number, move in enumerate(record.moves, 1):
        if state[model.area + MOVER] != (1.0, -1.0)[move.player]:
            raise ValueError(f"move {number}: it is not {COLOURS[move.player]}'s turn")
        try:
            check_move(model, state, move.index)
        except ValueError as error:
            raise ValueError(f"move {number}: {error}") from error
        after = np.empty_like(state)
        model.step(state, np.array([float(move.index)]), after, model.params, rng)
        state = after
        estimate = "" if move.value is None else f", expects {move.value:+.2f}"
        text = f"move {number}: {COLOURS[move.player]} {vertex_of(move.index, model.size)}{estimate}"
        points = "".join(MARKS[point] for point in state[: model.area])
        positions.append({"points": points, "move": move.index, "text": text})
        advance()
    if record.forfeit:
        positions[-1]["text"] = f"{positions[-1]['text']}; forfeited: {record.forfeit}"
    if record.breaks_off:
        positions[-1]["text"] = f"{positions[-1]['text']}; the record breaks off here"
    names = " against ".join(f"{name} ({colour})" for name, colour in zip(record.names, COLOURS, strict=True))
    game = {
        "size": model.size,
        "columns": COLUMNS[: model.size],
        "stars": star_points(model.size),
        "positions": positions,
    }
    result = record.result or "no result"
    return fill_template(
        Path(__file__).with_name("page.html"),
        title=html.escape(names),
        facts=html.escape(f"{model.size} x {model.size}, komi {model.komi:g}, {result}"),
        game=json_for_html(game),
    )
