"""The probability to win a match from a position: the one estimate that clients, analyses and pages show.

It is what the network of `curling.network.end_network` expects, calibrated by matches of the champion with itself, and
before the last two stones of an end what a short search finds. It takes both teams for equally strong.
`docs/studies/curling.py` fits it and counts how often teams win by it.
"""

import functools
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from bonspiel.curling.ice.sheet import LAST_SHOT, STONES
from bonspiel.curling.match.state import TIME, shot_of
from bonspiel.curling.model import Curling
from bonspiel.curling.model_params import why_no_weights
from bonspiel.curling.players.evaluation import with_nearest_network, with_network_table
from bonspiel.curling.players.reply_search import ReplySearch, SearchSettings, load_code
from bonspiel.planners.model import Array
from bonspiel.planners.planner import Budget, Decision

PLAYOUTS = 300  # for a standard error of at most 0.03
SEED = 1
LAST_STONE = SearchSettings(size=4_284, screen_share=0.25, finalists=2, reply_aims=0, reply_errors=1, threads=1)
LAST_STONE_THROWS = Budget(simulations=4_000)  # 10 ms; within 0.05 of 100,000 in 99 of 100 positions
# of more finalists the best has fewer throws each, and is overrated: by 0.025 of eight, by 0.007 of two
LAST_TWO = SearchSettings(size=4_284, screen_share=0.25, finalists=2, reply_aims=32, reply_errors=8, threads=1)
LAST_TWO_THROWS = Budget(simulations=140_000)  # 0.25 s
SLOPES = 1.04, 0.24  # of log odds: without stones to come in the end, and what a full end of them adds


@functools.lru_cache(maxsize=8)
def estimating(match: Curling) -> Curling:
    """Return the match for planners, with the nearest network and what it expects of the ends, where there is one.

    Args:
        match: of any reward and table.
    """
    planning = match.planning()
    model = with_nearest_network(planning)
    if model is None:
        return planning
    load_code()  # before a clock runs: that of the first last stone
    return model if model.is_mixed else with_network_table(model)


def win_probability(match: Curling, state: Array, is_quick: bool = False) -> float:
    """Return team 0's probability to win a match that is not over, always the same for the same position.

    Args:
        match: of any reward and table.
        state: before a shot, [state_dim]; an end of mixed doubles may have to be set up first.
        is_quick: what the network expects before the last stone but one too, which takes no time.
    """
    model = estimating(match)
    state = model.begin_end(state)
    if not uses_network(model):
        return estimate_win_probability(model, state)
    if shot_of(state) == LAST_SHOT:
        return _before_last_stone(model, state)
    if shot_of(state) == LAST_SHOT - 1 and not is_quick:
        return _before_last_two(model, state)
    return calibrated(model, state, expected(model, state))


def _before_last_stone(model: Curling, state: Array) -> float:
    """The mean over the throws of the best shot that a search finds: the network does not see what can be made."""
    search, decision = _searched(LAST_STONE, model, state, LAST_STONE_THROWS)
    best = int((search.aims == decision.action).all(1).argmax())
    values = model.player(state, model.params) * search.values[best, : search.errors[best]]
    return float(np.mean(after_throws(model, state, values)))


def _before_last_two(model: Curling, state: Array) -> float:
    """The value of the shot that a search finds; it plays its shots on to the best last stone."""
    _, decision = _searched(LAST_TWO, model, state, LAST_TWO_THROWS)
    return calibrated(model, state, model.player(state, model.params) * decision.value)


def _searched(settings: SearchSettings, model: Curling, state: Array, throws: Budget) -> tuple[ReplySearch, Decision]:
    with ThreadPoolExecutor(1) as pool:
        search = ReplySearch(settings, model, state, throws, np.random.default_rng(SEED), pool, 0.0)
        return search, search.decide(None)


def after_throws(model: Curling, state: Array, values: Array) -> Array:
    """Return a team's probabilities to win after throws in a position, for what is expected then; see `calibrated`.

    Args:
        model: from `estimating`, with a network.
        state: before the throws.
        values: the team's expectations after them, [n].
    """
    if int(state[TIME]) + 1 >= model.horizon:  # what comes of the throw is certain
        return values
    shot = shot_of(state)
    found: Array = with_slope(values, STONES if shot == LAST_SHOT else LAST_SHOT - shot)
    return found


def uses_network(model: Curling) -> bool:
    """Return whether a model from `estimating` values positions by a network."""
    return why_no_weights(model) is None


def expected(model: Curling, state: Array) -> float:
    """Return what the network expects for team 0, before calibration; the model is from `estimating`."""
    return float(model.value(state, np.empty_like(state), STONES, model.params, np.random.default_rng(SEED)))


def calibrated(model: Curling, state: Array, value: float) -> float:
    """Return team 0's probability to win for what the network expects; what playouts return stays as it is.

    Args:
        model: from `estimating`.
        state: the position; of a match that is over the result is certain.
        value: team 0's expectation, 0 to 1.
    """
    if not uses_network(model) or model.steps_left(state) == 0:
        return value
    return float(with_slope(value, STONES - shot_of(state)))


def with_slope(value: Any, to_come: Any, slopes: tuple[float, float] = SLOPES) -> Any:
    """Return probabilities whose log odds are those of `value` times a slope (temperature scaling, Guo et al. 2017).

    Args:
        value: a team's probability to win, one or [n].
        to_come: stones to come in the end, one or [n].
        slopes: that without stones to come, and what a full end of them adds.
    """
    slope = slopes[0] + slopes[1] * to_come / STONES
    value = np.clip(value, 0.0, 1.0)  # sums of the network's products may be a little beyond
    won, lost = value**slope, (1.0 - value) ** slope
    return won / (won + lost)


def estimate_win_probability(model: Curling, state: Array, playouts: int = PLAYOUTS) -> float:
    """Team 0's probability to win a match that is not over; always the same for the same position.

    The model is from `Curling.planning`: playouts last to the end of the end, the score gives the value after it.
    """
    rng = np.random.default_rng([SEED, int(state[model.time_index])])
    scratch = np.empty(model.state_dim)
    values = [model.rollout(state.copy(), scratch, STONES, model.params, rng) for _ in range(playouts)]
    return float(np.mean(values))
