"""Positions for clients: those of the package, drawn anew, of a file, or of a match on record."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bonspiel.curling.analysis.match import thrown_shots
from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.logs import match_files
from bonspiel.curling.model import Curling
from bonspiel.curling.records.position import MatchPosition
from bonspiel.curling.records.position_file import read_positions
from bonspiel.curling.regret import drawing
from bonspiel.curling.settings import MatchSettings
from bonspiel.planners.model import Array
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.games.record_file import reading

SHIPPED = Path(__file__).with_name("positions.json")
PLACES = 4  # decimals of a metre that are kept
NEEDED, DERIVED = ("source", "stones", "shot"), ("team", "reward")  # of the keys of a position


@dataclass(frozen=True, eq=False)
class TestPosition:
    """A position before a shot, and where it comes from.

    Attributes:
        position: with the settings of its match.
        source: in words, such as the players of the match.
    """

    __test__ = False  # for pytest

    position: MatchPosition
    source: str

    @property
    def match(self) -> Curling:
        """The model of its match."""
        return self.position.model()

    @property
    def state(self) -> Array:
        """The state of `match`."""
        return self.position.state()

    def to_json(self) -> dict[str, Any]:
        """As one JSON object."""
        return {"source": self.source} | self.position.to_json()


def shipped() -> list[TestPosition]:
    """The positions of the package, of which every first part is stratified."""
    return read_file(SHIPPED)


def read_file(path: Path) -> list[TestPosition]:
    """The positions of a JSON file; see `curling.records.position_file`."""
    return [TestPosition(position, source) for position, source in read_positions(path)]


def of_match(path: Path) -> list[TestPosition]:
    """The positions before all shots of a record or a log.

    Raises:
        UsageError: the file holds no match.
    """
    with reading(path):
        record = match_files.read_match(path, partial=True)
        model, shots = record.match.model().planning(), thrown_shots(record)
        found = [
            TestPosition(MatchPosition.of(model, shot.state), f"{path.name}, shot {shot.number + 1}") for shot in shots
        ]
    if not found:
        raise UsageError(f"{path} holds no shot")
    return found


def drawn(count: int, seed: int) -> list[TestPosition]:
    """Positions of new matches; see `curling.regret.drawing.draw`."""
    return [_rounded(one) for one in drawing.draw(count, seed)]


def _rounded(one: drawing.Drawn) -> TestPosition:
    position = MatchPosition.of(drawing.MATCH, one.state)
    np.round(position.stones, PLACES, out=position.stones)
    return TestPosition(position, one.source)


def text_of(positions: Sequence[TestPosition], made: str) -> str:
    """A file of positions, a line for each, as `read_file` reads it; `made` says how they were made."""
    return "".join(_lines(positions, made))


def _lines(positions: Sequence[TestPosition], made: str) -> Iterator[str]:
    settings = MatchSettings(rule="five_rock", noise="normal_dist")
    usual = MatchPosition(no_stones(), 0, settings=settings).to_json()
    yield f'{{"made": {json.dumps(made)}, "positions": [\n'
    for number, one in enumerate(positions, 1):
        given = one.to_json().items()
        kept = {key: value for key, value in given if key in NEEDED or (key not in DERIVED and value != usual.get(key))}
        end = "\n]}\n" if number == len(positions) else ",\n"
        yield json.dumps(kept, separators=(",", ":")) + end
