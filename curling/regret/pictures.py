"""Draws a position twice, side by side: with the shot of a client, and with the best one that a referee found."""

from pathlib import Path

from bonspiel.curling.env.picture import draw_ice, draw_paths, draw_rests, draw_stones
from bonspiel.curling.match.state import stones_of
from bonspiel.curling.records.umpire import exact_in, outcome
from bonspiel.curling.regret.positions import TestPosition
from bonspiel.curling.regret.referee import ShotRegret
from bonspiel.runs.reporting.drawing import styled

SIZE, DPI = (13.4, 3.7), 80  # inches
SHEET = 0.485, 0.86  # shares of the picture


def draw_pair(file: Path, place: TestPosition, name: str, verdict: ShotRegret) -> None:
    """Write the picture, PNG, of both shots without errors of execution."""
    model, state = place.match.planning(), place.state
    shots = (
        (f"{name}: {verdict.name}, {verdict.value:.0%}", verdict.shot),
        (f"best: {verdict.best_name}, {verdict.best_value:.0%}", verdict.best),
    )
    with styled(SIZE, dpi=DPI, facecolor="white") as figure:
        for number, (title, aim) in enumerate(shots):
            axes = figure.add_axes((0.01 + 0.5 * number, 0.01, *SHEET))
            axes.set_title(title, loc="left", fontsize=13)
            path = outcome(model, state, exact_in(model, state, aim), trajectory=True).path
            assert path is not None
            draw_ice(axes, model.law.sheet)
            draw_paths(axes, model.law.sheet, path.positions)
            draw_stones(axes, stones_of(state))
            draw_rests(axes, path.positions)
        figure.savefig(file, metadata={"Software": "bonspiel"})
