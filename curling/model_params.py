"""The parameters of the model functions of a match, in the order of `curling.state`."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from curling.end_weights import NO_WEIGHTS, load, own
from curling.network_table import expect_ends
from curling.noise import Thrower, noise_of
from curling.physics import law_index
from curling.rules import MIXED_PROTECTED, rule_of
from curling.setup_value import setup_values
from curling.state import REWARDS
from curling.value import table_of, win_probabilities
from planners.base import Array

if TYPE_CHECKING:
    from curling.model import Curling

NETWORK_TABLE = "network"


def params_of(match: "Curling") -> Array:
    """The parameters as one vector."""
    law, sheet = match.law, match.law.sheet
    throws = law_index(law.name), law.launch_spin, *law.tee_draw, sheet.tee, sheet.in_house
    protected = (MIXED_PROTECTED, 0) if match.is_mixed else rule_of(match.rule)
    rules = *protected, match.ends, match.ends + match.extra_ends, REWARDS.index(match.reward)
    before = *throws, *rules, *match.unit, match.first_shot, match.pattern
    throwers = np.concatenate([(player.max_speed, *player.noise.params) for player in throwers_of(match)])
    values, weights = _values(match), weights_of(match)
    network = len(before) + 1 + len(throwers) + len(values)
    params = np.concatenate([before, [network], throwers, values, weights])
    return expect_ends(params) if match.table == NETWORK_TABLE else params


def throwers_of(match: "Curling") -> tuple[Thrower, ...]:
    """The two players of team 0 and of team 1; in standard games all are alike."""
    fastest = match.law.max_speed
    if match.throwers is None:
        return (Thrower(min(match.max_speed or fastest, fastest), noise_of(match.noise)),) * 4
    return tuple(Thrower(min(player.max_speed, fastest), player.noise) for pair in match.throwers for player in pair)


def _values(match: "Curling") -> Array:
    """The win probabilities before each end, in mixed doubles with the best set-ups, as a flat vector."""
    if match.is_mixed:
        values, choices = setup_values(match.ends, match.extra_ends, match.tie)
        return np.concatenate([values.ravel(), choices.ravel()])
    table = table_of(None if match.table == NETWORK_TABLE else match.table, match.physics)
    return win_probabilities(match.ends, match.extra_ends, match.tie, table).ravel()


def weights_of(match: "Curling") -> Array:
    """Of the network, [WEIGHTS]; empty where `value` plays out."""
    if match.is_mixed:
        return NO_WEIGHTS
    if match.weights is not None:
        return NO_WEIGHTS if match.weights == "none" else load(Path(match.weights))[0]
    weights, provenance = own()
    if provenance is None or (match.law.experience, match.rule) != (provenance.physics, provenance.rule):
        return NO_WEIGHTS
    slower = match.max_speed is not None and match.max_speed < match.law.max_speed
    return NO_WEIGHTS if slower or noise_of(match.noise) != noise_of(provenance.noise) else weights
