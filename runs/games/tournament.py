"""A tournament as data and as a folder: one record for every game that is over, which the driver alone writes."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from curling import players, record
from curling.record import Match, Record
from planners.core import sources
from runs.curling.game import Game, Side
from runs.experiment import RunError, UsageError, number
from runs.files import LOCK, locked, writing

FILE, DRAFT, RECORDS = "match.json", "match.json.new", "records"
# what a game depends on
PLAYED = (*sources.FOLDERS, *(sources.ROOT / "runs" / name for name in ("curling/game.py", "runner/episode.py")))
TIES = {"half": 0.5, "thesis": 0.781}  # value of a draw for the team that would have the hammer in the next end
MOST_PLAYERS = 32

Pairing = tuple[int, int]


@dataclass(frozen=True)
class Tournament:
    """Every two of some planners play each other.

    Attributes:
        sides: the planners with their budgets.
        match: what is played; players, budgets and pair are filled in for each game.
    """

    sides: tuple[Side, ...]
    match: Match

    def pairings(self) -> list[Pairing]:
        """Every two sides, by their numbers."""
        return list(combinations(range(len(self.sides)), 2))

    def game(self, pairing: Pairing, index: int) -> Game:
        """A game of two sides: the first one is team 0 in even games; two games in a row are a pair."""
        first, second = (self.sides[number] for number in pairing)
        sides = (first, second) if index % 2 == 0 else (second, first)
        match = replace(
            self.match,
            players=(sides[0].planner, sides[1].planner),
            pair=index // 2,
            budgets=(sides[0].allowance, sides[1].allowance),
        )
        return Game(sides, match, index)

    def to_json(self) -> dict[str, Any]:
        """What makes it this tournament and no other; more games of it are still the same tournament."""
        return {"sides": [list(side) for side in self.sides], "match": asdict(self.match)}

    def resolve(self) -> dict[str, str]:
        """The full parameters behind the planners' texts.

        Raises:
            UsageError: an unknown planner or parameter, or a value out of range.
        """
        try:
            return {side.planner: repr(players.parse(side.planner)) for side in self.sides}
        except (ValueError, TypeError) as error:
            raise UsageError(str(error)) from error


def tournament(
    names: list[str],
    *,
    ends: int,
    physics: str,
    noise: str | None,
    extra_ends: int,
    ties: str,
    seed: int,
    simulations: list[float],
    milliseconds: list[float],
) -> Tournament:
    """A tournament from what a command line says.

    Raises:
        UsageError: what cannot be played; the message says why.
    """
    if not 2 <= len(names) <= MOST_PLAYERS:
        raise UsageError(f"{len(names)} planners: give from 2 to {MOST_PLAYERS}")
    if bool(simulations) == bool(milliseconds):
        raise UsageError("give one of --milliseconds T and --budget N, what a planner may spend on a shot")
    if simulations:
        unit, budgets = "simulations", [number("budget", value, 1, 1e12, whole=True) for value in simulations]
    else:
        unit, budgets = "ms", [number("milliseconds", value, 1e-3, 1e9, whole=False) for value in milliseconds]
    if len(budgets) not in (1, len(names)):
        raise UsageError(f"{len(budgets)} budgets for {len(names)} planners: give one for all, or one for each")
    budgets = budgets * len(names) if len(budgets) == 1 else budgets
    sides = tuple(Side(name, budget, unit) for name, budget in zip(names, budgets, strict=True))
    if len(sides) > 2 and len(set(sides)) < len(sides):
        raise UsageError(
            "the same planner with the same budget twice would play the same games in several pairings; "
            "a planner can only meet itself in a match of two"
        )
    seed = number("seed", seed, 0, 2**32 - 1, whole=True)
    match = Match(("", ""), physics, None, noise, ends, extra_ends, TIES[ties], seed=seed)
    try:
        model = match.model()
    except ValueError as error:
        raise UsageError(str(error)) from error
    return Tournament(sides, replace(match, rule=model.rule, noise=model.noise))


class Folder:
    """The folder of a tournament, for the one driver that plays it; made by `opened`."""

    def __init__(self, path: Path, tournament: Tournament) -> None:
        """Discard what a killed driver was writing."""
        self.tournament = tournament
        self.records = path / RECORDS
        with writing(path):
            self.records.mkdir(exist_ok=True)
            for draft in self.records.glob("*.new"):
                draft.unlink()

    def file(self, pairing: Pairing, index: int) -> Path:
        """Where a game's record is, or shall be."""
        return self.records / f"{pairing[0] + 1}-{pairing[1] + 1}-{index:05d}.jsonl"

    def has(self, pairing: Pairing, index: int) -> bool:
        """Whether a game is over."""
        return self.file(pairing, index).exists()

    def add(self, pairing: Pairing, index: int, played: Record) -> None:
        """Keep a game.

        Raises:
            RunError: it cannot be written.
        """
        file = self.file(pairing, index)
        try:
            record.write(file, played)
        except OSError as error:
            raise RunError(
                f"{file} cannot be written ({error.strerror}); the games so far are kept, go on with --resume"
            ) from error

    def read(self, pairing: Pairing, index: int) -> Record:
        """A game that is over.

        Raises:
            UsageError: its file is not a record of this game.
        """
        file = self.file(pairing, index)
        try:
            found = record.read(file)
            if found.match != self.tournament.game(pairing, index).match:
                raise ValueError(f"{file} is the record of another game")
        except (OSError, ValueError) as error:
            raise UsageError(f"{error}; delete that file, and --resume plays the game again") from error
        return found


@contextmanager
def opened(path: Path, tournament: Tournament, resume: bool, provenance: Mapping[str, Any]) -> Iterator[Folder]:
    """The folder of a tournament, locked; a new one unless there is one to resume.

    Raises:
        UsageError: it cannot be written, is in use, or holds something else, another tournament or one by other
            sources; or it holds this one and `resume` is not set.
    """
    identity = json.loads(json.dumps({"format": 1, **tournament.to_json(), "resolved": tournament.resolve()}))
    # looked at before it is locked, so that a refused folder is left as it is
    _holds(path, identity, resume, provenance)
    with locked(path):
        if not _holds(path, identity, resume, provenance):
            draft = path / DRAFT
            with writing(path):
                draft.write_text(json.dumps(identity | {"provenance": provenance}, indent=2) + "\n", encoding="utf-8")
                draft.replace(path / FILE)
        yield Folder(path, tournament)


def _holds(path: Path, identity: Mapping[str, Any], resume: bool, provenance: Mapping[str, Any]) -> bool:
    """Whether the tournament to go on with is there; anything else is refused."""
    files = sorted(file.name for file in path.iterdir()) if path.is_dir() else []
    if FILE not in files:
        others = [name for name in files if name not in (LOCK, DRAFT)]
        if others:
            raise UsageError(f"{path} holds no match but other files ({others[0]}, ...); choose another --out")
        return False
    try:
        found = json.loads((path / FILE).read_text(encoding="utf-8"))
        before = found.pop("provenance")
        sources_before, commit = before["sources"], before["commit"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{path / FILE} is not readable ({error}); choose another --out") from error
    if found != identity:
        raise UsageError(
            f"{path} holds another match ({', '.join(str(side[0]) for side in found.get('sides', []))}); "
            "choose another --out"
        )
    if not resume:
        raise UsageError(f"{path} holds this match already; add --resume to go on with it, or choose another --out")
    if sources_before != provenance["sources"]:
        raise UsageError(
            f"{path} was begun by other sources (commit {commit or 'unknown'}), and games of two versions "
            "do not mix: choose another --out, or go back to that version"
        )
    return True
