"""A tournament as data: a game, the sides, the seed; its pairings as the settings of a run."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

from bonspiel.planners.planner import announce, unsupported
from bonspiel.runs.experiment import Entrant, Experiment, Setting, UsageError, number, parsed
from bonspiel.runs.games.game import CLOCK, GAMES, ScheduledGame, Side, TwoPlayerGame
from bonspiel.runs.results.store import MATCH
from bonspiel.runs.suite import Suite, refuse_broken

FORMAT = 2  # of match.json; format 1 has the settings of the only game of that time, which reads them
MOST_PLAYERS = 32

Pairing = tuple[int, int]


@dataclass(frozen=True)
class Tournament:
    """A round robin."""

    name: str  # text of the game, NAME[:key=value,...]
    game: TwoPlayerGame
    sides: tuple[Side, ...]  # the planners with their budgets
    seed: int  # of all games

    def pairings(self) -> dict[Setting, Pairing]:
        """Every two sides by their numbers, and the settings of a run that stand for them."""
        found = {}
        for (a, first), (b, second) in combinations(enumerate(self.sides), 2):
            budget = "" if first[1:] == second[1:] else f", {second.allowance}"
            text = f"{first.planner} against {second.planner}{budget}"
            given = (round(1000.0 * first.budget), "ms") if first.unit == CLOCK else first[1:]
            found[Setting(self.name, text, *given, self.seed)] = a, b
        return found

    def schedule(self, setting: Setting, index: int) -> ScheduledGame:
        """A game of a pairing: the first side is player 0 in even games; two games in a row are a pair."""
        first, second = (self.sides[side] for side in self.pairings()[setting])
        sides = (first, second) if index % 2 == 0 else (second, first)
        return ScheduledGame(sides, self.seed, index // 2, index)

    def suite(self, games: int) -> Suite:
        """The tournament as a suite: a pairing is a setting, a game is an episode."""
        experiments = []
        for env, text, budget, unit, seed in self.pairings():
            given: dict[str, Any] = {"simulations" if unit == "simulations" else "milliseconds": (budget,)}
            experiments.append(Experiment(env, (Entrant(text),), **given, episodes=games, seed=seed))
        return Suite(" against ".join(side.planner for side in self.sides), tuple(experiments))

    def resolve(self) -> dict[str, str]:
        """The full parameters behind the texts of the game and of the planners."""
        players = {side.planner: parsed(self.game.make_player, side.planner) for side in self.sides}
        for text, player in players.items():
            if reason := unsupported(player, self.game.model):
                raise UsageError(f"{text} cannot play {self.name}: {reason}")
            announce(player, self.game.model)
            refuse_broken(text, self.name, self.game.make_player, partial(getattr, self.game, "model"))
        return {text: repr(player) for text, player in players.items()} | {self.name: repr(self.game)}

    def to_json(self) -> dict[str, Any]:
        """The content of match.json."""
        return {"format": FORMAT, "game": self.name, "sides": [list(side) for side in self.sides], "seed": self.seed}


def make_tournament(
    names: Sequence[str], game: str, seed: int, simulations: Sequence[float], milliseconds: Sequence[float]
) -> Tournament:
    """A tournament from the command line: budgets of one kind, one for all planners or one for each."""
    if not 2 <= len(names) <= MOST_PLAYERS:
        raise UsageError(f"planners={len(names)}: give from 2 to {MOST_PLAYERS}")
    if bool(simulations) == bool(milliseconds):
        raise UsageError("give one of --milliseconds T and --budget N, the budget of a decision")
    if simulations:
        unit, budgets = "simulations", [number("budget", value, 1, 1e12, whole=True) for value in simulations]
    else:
        unit, budgets = "ms", [number("milliseconds", value, 1e-3, 1e9, whole=False) for value in milliseconds]
    if len(budgets) not in (1, len(names)):
        raise UsageError(f"{len(budgets)} budgets for {len(names)} planners: give one for all, or one for each")
    budgets = budgets * len(names) if len(budgets) == 1 else budgets
    sides = tuple(Side(name, budget, unit) for name, budget in zip(names, budgets, strict=True))
    if len(sides) > 2 and len(set(sides)) < len(sides):
        twice = "the same planner with the same budget is listed twice"
        reason = "would play the same games in several pairings; a planner can meet itself only in a match of two"
        raise UsageError(f"{twice}, and {reason}")
    return Tournament(game, make_game(game), sides, number("seed", seed, 0, 2**32 - 1, whole=True))


def make_game(text: str) -> TwoPlayerGame:
    """The game of a text."""
    game: TwoPlayerGame = parsed(GAMES.parse, text)
    return game


def read_tournament(folder: Path) -> Tournament:
    """The tournament of a match's folder, also of an older version's."""
    file = folder / MATCH
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        sides = tuple(Side(*side) for side in found["sides"])
        if "game" not in found:
            texts = (GAMES.cls(name).of_format_1 for name in GAMES.guests() if hasattr(GAMES.cls(name), "of_format_1"))
            found |= {"game": next(texts)(found["match"]), "seed": found["match"].get("seed", 0)}
        return Tournament(found["game"], make_game(found["game"]), sides, found["seed"])
    except FileNotFoundError:
        raise UsageError(f"{folder} holds no match (no {MATCH}); `bonspiel match` writes them") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, StopIteration) as error:
        raise UsageError(f"{folder} holds no match ({file} cannot be read: {error})") from error
