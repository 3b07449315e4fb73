"""Games between two sides, as workers play them."""

import functools
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from bonspiel.planners.contract.decisions import CheckedSearch, checked_plan
from bonspiel.planners.model import Array, Rng
from bonspiel.planners.planner import Planner, traits_of
from bonspiel.runs.draws import environment_rng, named_rng
from bonspiel.runs.experiment import Setting
from bonspiel.runs.games.game import (
    Forfeit,
    GameSummary,
    Move,
    Resignation,
    ScheduledGame,
    Side,
    TwoPlayerGame,
    player_to_move,
    result,
    summary,
)
from bonspiel.runs.games.tournament import Tournament
from bonspiel.runs.results.rows import Batch, Episode
from bonspiel.runs.runner.episode import reason


@functools.cache
def _warmed_up(side: Side, game: TwoPlayerGame) -> Planner:
    """The player of a side after an untimed warm-up, which loads or compiles its code."""
    player, rng = game.make_player(side.planner), np.random.default_rng(0)
    with suppress(Exception):  # a player that fails here fails in its games too, where the reason is recorded
        checked_plan(player, game.model, game.initial_state(rng), side.limit(), rng)
    return player


def _decide(
    planner: Planner,
    searches: dict[int, CheckedSearch],
    game: TwoPlayerGame,
    player: int,
    state: Array,
    side: Side,
    rng: Rng,
) -> tuple[Array, float, int, float]:
    """The action of the player to move, its value for it, the simulations, and the seconds of the decision.

    The player's search, which lasts for the game, is begun if it is not among the `searches` yet.
    """
    try:
        search = searches[player] = searches.get(player) or CheckedSearch(planner, game.model)
        decision = search.plan(state, side.limit(), rng)
        seconds = float(decision.seconds) if traits_of(planner).times_itself else search.seconds
        action = game.check_action(state, np.array(decision.action, np.float64))
        return action, float(decision.value), int(decision.simulations), seconds
    except Resignation as error:
        raise Forfeit(player, f"{side.planner} resigned", is_resignation=True) from error
    except Exception as error:
        raise Forfeit(player, f"{side.planner}: {reason(error)}") from error


def play_game(game: TwoPlayerGame, scheduled: ScheduledGame) -> Any:
    """Play a game and return its record; a player that fails forfeits.

    The chance of move t comes from (seed, pair, t) and a player's draws from (seed, number, sides), so that a game does
    not depend on where or when it is played.
    """
    sides, seed, pair, number = scheduled
    players = [_warmed_up(side, game) for side in sides]
    rngs = [named_rng(f"{player}|{sides}", seed, number) for player in (0, 1)]
    state, moves, value = game.initial_state(named_rng("initial state", seed, pair)), list[Move](), None
    searches, model = dict[int, CheckedSearch](), game.model
    while value is None:
        player = player_to_move(game, model, state)
        try:
            side, rng = sides[player], rngs[player]
            action, estimate, simulations, seconds = _decide(players[player], searches, game, player, state, side, rng)
        except Forfeit as forfeit:
            return game.record(scheduled, moves, forfeit)
        step = game.step(state, action, environment_rng(seed, pair, len(moves)))
        moves.append(Move(player, state, action, estimate, simulations, seconds, step))
        state, value = step.state, None if step.value is None else result(game, step.value)
    return game.record(scheduled, moves, None)


def play_games(tournament: Tournament, setting: Setting, indices: Sequence[int]) -> Batch:
    """Play some games of the pairing that `setting` stands for, as `runs.runner.episode.play_batch` plays episodes."""
    start, game = time.perf_counter(), tournament.game
    records = [play_game(game, tournament.schedule(setting, index)) for index in indices]
    results = [episode_of(summary(game, record), index) for record, index in zip(records, indices, strict=True)]
    return Batch(setting, [*results], time.perf_counter() - start, records)


def episode_of(game: GameSummary, index: int) -> Episode:
    """A game as an episode of its pairing, whose return is the result of the pairing's first side."""
    seconds, simulations = (sum(move[column] for move in game.moves) for column in (1, 2))
    return Episode(index, game.value_for(index % 2), len(game.moves), float(seconds), int(simulations))
