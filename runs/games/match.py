"""Plays a tournament: a folder with the index of its games, as of any run, and a record of every game."""

import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from bonspiel.planners.core.code import sources
from bonspiel.replacing import replacing
from bonspiel.runs import draws
from bonspiel.runs.experiment import RunError, Setting, UsageError, number
from bonspiel.runs.files import writing
from bonspiel.runs.games import play, standings
from bonspiel.runs.games.game import GameSummary, TwoPlayerGame, summary
from bonspiel.runs.games.tournament import Pairing, Tournament, read_tournament
from bonspiel.runs.results import run_folder
from bonspiel.runs.results.rows import Batch
from bonspiel.runs.results.store import FILE, MATCH, Store
from bonspiel.runs.runner import driver, episode
from bonspiel.runs.runner.backends import Workers

RECORDS = "records"

PlayPending = Callable[[Store, Callable[[Batch], str]], None]
"""Plays the pending games of an index: passes each batch to the function, then adds it to the index."""


def sources_of(game: TwoPlayerGame) -> tuple[Path, ...]:
    """The sources that the games of a tournament depend on."""
    return *sources.folders(), *(Path(inspect.getfile(part)) for part in (play, draws, episode, type(game)))


def by_workers(tournament: Tournament, jobs: int) -> PlayPending:
    """A way to play by worker processes; 1 plays in this process."""
    play_games = partial(play.play_games, tournament)
    return lambda results, keep: driver.play_pending(results, Workers(jobs), play_games, keep, things="games")


def play_match(
    tournament: Tournament,
    games: int,
    folder: Path,
    play_pending: PlayPending,
    resume: bool,
    provenance: Mapping[str, Any],
) -> tuple[dict[str, Any], str, list[str]]:
    """Play all games of a tournament that its folder lacks; the even number `games` is of each pairing.

    A match that is resumed may have more games or further planners. Finished games are kept if workers die.

    Returns:
        The results as JSON and as text, and a line for each pairing that only forfeits decided.
    """
    games = number("games", games, 2, 1_000_000, whole=True)
    if games % 2:
        raise UsageError(f"games={games}: must be even, since games are played in pairs with the sides swapped")
    resolved = tournament.resolve()
    _check_folder(folder, tournament)
    with run_folder.write(folder, tournament.suite(games), resolved, provenance, resume) as results:
        records = MatchRecords(folder, tournament)
        records.update_index(results)
        play_pending(results, records.keep)
    return *standings.results(tournament, records.summaries), standings.unplayed(tournament, records.summaries)


def _check_folder(folder: Path, tournament: Tournament) -> None:
    """Refuse a match that this tournament does not extend; other runs are refused by the index."""
    if not (folder / MATCH).exists():
        return
    if not (folder / FILE).exists():
        old = "a match of an older version, which can be read but not continued"
        raise UsageError(f"{folder} holds {old}; choose another --out")
    sides = read_tournament(folder).sides
    if sides != tournament.sides[: len(sides)]:
        names = ", ".join(f"{side.planner} ({side.allowance})" for side in sides)
        raise UsageError(f"{folder} holds another match: {names}; name these first, or choose another --out")


class MatchRecords:
    """The records of a match in its locked folder, which its one driver writes.

    Attributes:
        summaries: of the finished games, by pairing and index.
    """

    def __init__(self, folder: Path, tournament: Tournament) -> None:
        """Write match.json; discard the drafts of a killed driver."""
        self.folder, self.tournament = folder / RECORDS, tournament
        pairings = tournament.pairings().values()
        self.summaries: dict[Pairing, dict[int, GameSummary]] = {pairing: {} for pairing in pairings}
        with writing(folder):
            with replacing(folder / MATCH) as draft:
                draft.write_text(json.dumps(tournament.to_json(), indent=2) + "\n", encoding="utf-8")
            self.folder.mkdir(exist_ok=True)
            for draft in self.folder.glob("*.new"):
                draft.unlink()

    def update_index(self, results: Store) -> None:
        """Bring the index up to date with the records: a killed driver may have written one that is not in it."""
        for setting, pairing in self.tournament.pairings().items():
            indexed = {int(index) for index in results.values("episode")[setting]}
            for index in range(results.suite.episodes()[setting]):
                if record_file(self.folder, self.tournament.game, pairing, index).exists():
                    self.summaries[pairing][index] = self._read(setting, pairing, index)
            found = self.summaries[pairing]
            results.discard(setting, indexed - found.keys())
            new = [play.episode_of(found[index], index) for index in sorted(found.keys() - indexed)]
            results.add(Batch(setting, [*new], 0.0))

    def _read(self, setting: Setting, pairing: Pairing, index: int) -> GameSummary:
        game = self.tournament.game
        file = record_file(self.folder, game, pairing, index)
        try:
            record = game.read(file)
            if not game.is_record_of(record, self.tournament.schedule(setting, index)):
                raise ValueError(f"{file} is the record of another game")
            return summary(game, record)
        except (OSError, ValueError) as error:
            raise UsageError(f"{error}; delete that file, and --resume plays the game again") from error

    def keep(self, batch: Batch) -> str:
        """Write the records of a batch; the points so far, in words."""
        game, pairing = self.tournament.game, self.tournament.pairings()[batch.setting]
        for result, record in zip(batch.results, batch.records, strict=True):
            file = record_file(self.folder, game, pairing, result.number)
            try:
                game.write(file, record)
            except OSError as error:
                kept = "finished games are kept: continue with --resume"
                raise RunError(f"{file} cannot be written ({error.strerror}); {kept}") from error
            self.summaries[pairing][result.number] = summary(game, record)
        return ", " + " : ".join(f"{points:g}" for points in standings.points(self.tournament, self.summaries))


def record_file(records: Path, game: TwoPlayerGame, pairing: Pairing, index: int) -> Path:
    """The path of a game's record."""
    return records / f"{pairing[0] + 1}-{pairing[1] + 1}-{index:05d}{game.suffix}"


def read_pairs(folder: Path, tournament: Tournament, pairing: Pairing) -> Iterator[tuple[int, GameSummary]]:
    """The finished games of a pairing with their numbers, in order, without a game that lacks its pair."""

    def file(index: int) -> Path:
        return record_file(folder / RECORDS, tournament.game, pairing, index)

    prefix = f"{pairing[0] + 1}-{pairing[1] + 1}-"
    for path in sorted((folder / RECORDS).glob(f"{prefix}*{tournament.game.suffix}")):
        number = int(path.stem.removeprefix(prefix))
        if file(number ^ 1).exists():
            yield number, summary(tournament.game, tournament.game.read(path))
