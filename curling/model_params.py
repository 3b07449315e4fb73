"""The parameters of the model functions of a match, in the order of `curling.match.state`."""

import math
from dataclasses import asdict
from pathlib import Path

import numpy as np

from bonspiel.curling.choice.playouts import value
from bonspiel.curling.ice.noise import Noise, Thrower, is_same_noise, noise_of
from bonspiel.curling.ice.physics import Physics, law_index
from bonspiel.curling.ice.sheet import STONES
from bonspiel.curling.match.rules import MIXED_PROTECTED, rule_of
from bonspiel.curling.match.setup_value import setup_values
from bonspiel.curling.match.state import (
    ENDS,
    LAST_END,
    LEAD,
    NETWORK,
    REWARD,
    REWARDS,
    STATE_DIM,
    TIME,
    VALUES,
    WIN_PROBABILITY,
)
from bonspiel.curling.match.value import LEADS, MOST_LEAD, table_of, win_probabilities
from bonspiel.curling.network.end_network import packed
from bonspiel.curling.network.end_weights import NO_WEIGHTS, Provenance, load, own
from bonspiel.curling.settings import NETWORK_TABLE, MatchSettings
from bonspiel.planners.jit import RNG, VECTOR, kernel
from bonspiel.planners.model import Array, Rng


@kernel(VECTOR, VECTOR, VECTOR, RNG)
def _expect_ends(params: Array, state: Array, scratch: Array, rng: Rng) -> None:
    """Replace the values in `params`, row by row, by those of an empty sheet in whose end team 0 has the hammer."""
    last, regular = int(params[LAST_END]), int(params[ENDS])
    for left in range(1, last + 1):
        end = last - left
        for column in range(LEADS):
            lead, at = column - MOST_LEAD, VALUES + left * LEADS + column
            if end >= regular and lead != 0:
                params[at] = 1.0 if lead > 0 else 0.0
                continue
            state[TIME], state[LEAD] = float(end * STONES), float(lead)
            params[at] = value(state, scratch, STONES, params, rng)


def expect_ends(params: Array) -> Array:
    """The parameters of a match, with the values before each end by what its network expects of an end; a new array.

    A table of end scores says the same of every lead. The network knows what each score is worth, and so that a team a
    point behind in the last end plays another end than one that is ahead. There must be weights among the parameters.
    """
    expected = params.copy()
    expected[REWARD] = WIN_PROBABILITY
    # with weights, `value` draws nothing
    _expect_ends(expected, np.zeros(STATE_DIM), np.empty(STATE_DIM), np.random.default_rng(0))
    first, end = VALUES, int(params[NETWORK])
    return np.concatenate([params[:first], expected[first:end], params[end:]])


def params_of(match: MatchSettings) -> Array:
    """The parameters as one vector."""
    law, sheet = match.law, match.law.sheet
    throws = law_index(law.name), law.launch_spin, *law.tee_draw, sheet.tee, sheet.in_house
    protected = (MIXED_PROTECTED, 0) if match.is_mixed else rule_of(match.rule)
    rules = *protected, match.ends, match.ends + match.extra_ends, REWARDS.index(match.reward)
    before = *throws, *rules, *match.unit, match.first_shot, match.pattern
    throwers = np.concatenate([(player.max_speed, *player.noise.params) for player in throwers_of(match)])
    values, weights = _values(match), weights_of(match)
    network = len(before) + 1 + len(throwers) + len(values)
    network_weights = packed(weights) if len(weights) else weights
    params = np.concatenate([before, [network], throwers, values, network_weights])
    return expect_ends(params) if match.table == NETWORK_TABLE else params


def throwers_of(match: MatchSettings) -> tuple[Thrower, ...]:
    """The two players of team 0 and of team 1; in standard games all are alike."""
    fastest = match.law.max_speed
    if match.throwers is None:
        return (Thrower(min(match.max_speed or fastest, fastest), noise_of(match.noise)),) * 4
    return tuple(Thrower(min(player.max_speed, fastest), player.noise) for pair in match.throwers for player in pair)


def _values(match: MatchSettings) -> Array:
    """The win probabilities before each end, in mixed doubles with the best set-ups, as a flat vector."""
    if match.is_mixed:
        values, choices = setup_values(match.ends, match.extra_ends, match.tie)
        return np.concatenate([values.ravel(), choices.ravel()])
    table = table_of(None if match.table == NETWORK_TABLE else match.table, match.physics)
    return win_probabilities(match.ends, match.extra_ends, match.tie, table).ravel()


def weights_of(match: MatchSettings) -> Array:
    """The weights of the network, [WEIGHTS]; empty where `value` plays out."""
    if why_no_weights(match) is not None:
        return NO_WEIGHTS
    if match.weights is not None:
        return load(Path(match.weights))[0]
    found = nearest_network(match)
    return NO_WEIGHTS if found is None else found[0]


def nearest_network(match: MatchSettings) -> tuple[Array, Provenance] | None:
    """The network of the package for a match's game whose errors are most like the match's; None if there is none."""
    here = tee_draw_sd(match.law, noise_of(match.noise))

    def difference(network: tuple[Array, Provenance]) -> float:
        return math.dist(here, tee_draw_sd(match.law, noise_of(network[1].noise)))

    return min(own(match.game), key=difference, default=None)


def tee_draw_sd(law: Physics, noise: Noise) -> tuple[float, float]:
    """Standard deviations of the velocity of a tee draw, across and along, m/s."""
    return math.hypot(noise.vx, noise.angle * math.hypot(*law.tee_draw)), math.hypot(noise.vy, noise.speed)


def why_no_weights(match: MatchSettings) -> str | None:
    """Return the first thing in which a match differs from those that the network is for; None if nothing does."""
    if match.weights is not None:
        return "weights='none'" if match.weights == "none" else None
    found = nearest_network(match)
    if found is None:
        return f"no network for game={match.game!r} can be used"
    provenance, here, fastest = found[1], noise_of(match.noise), match.law.max_speed
    if match.law.experience != provenance.physics:
        return f"physics={match.physics!r}, the network is for {provenance.physics!r}"
    if match.rule != provenance.rule:
        return f"rule={match.rule!r}, the network is for {provenance.rule!r}"
    if not is_same_noise(here, known := noise_of(provenance.noise)):
        return f"noise {_in_words(here)}, the network is for {_in_words(known)}"
    if match.max_speed is not None and np.float32(match.max_speed) < np.float32(fastest):
        return f"max_speed={match.max_speed}, the network is for {fastest}"
    return None


def _in_words(noise: Noise) -> str:
    return ", ".join(f"{name}={sd}" for name, sd in asdict(noise).items() if sd > 0.0) or "none"
