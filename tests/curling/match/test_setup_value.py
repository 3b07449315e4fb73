import functools

import numpy as np
import pytest

from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.match.mixed_doubles import mixed_state_of
from bonspiel.curling.match.setup_value import (
    CENTER_GUARD,
    CENTER_HOUSE,
    PP_RIGHT,
    SELF_PLAY,
    SELF_PLAY_POWER_PLAY,
    best_choice,
    decider_value,
    setup_values,
)
from bonspiel.curling.match.state import NETWORK, VALUES
from bonspiel.curling.match.value import MOST_LEAD, POINTS, table_from_counts
from bonspiel.curling.model import Curling

HAMMER, POWER_PLAY = table_from_counts(SELF_PLAY), table_from_counts(SELF_PLAY_POWER_PLAY)


@functools.cache
def by_hand(left, extra_ends, decider, lead, powers, tie):
    """(team 0's probability to win, choice), with the teams by their numbers."""
    if left == 0 or (left <= extra_ends and lead != 0):
        value = 0.5 + 0.5 * np.sign(lead)
        return (tie if decider == 0 else 1.0 - tie) if lead == 0 else value, None
    options = {}
    for choice in (CENTER_HOUSE, CENTER_GUARD, PP_RIGHT):
        if choice == PP_RIGHT and (not powers[decider] or left <= extra_ends):
            continue
        hammer = 1 - decider if choice == CENTER_GUARD else decider
        table = POWER_PLAY if choice == PP_RIGHT else HAMMER
        then = tuple(has and not (choice == PP_RIGHT and team == decider) for team, has in enumerate(powers))
        total = 0.0
        for chance, scored in zip(table, POINTS, strict=True):
            points = scored if hammer == 0 else -scored
            following = (1 if points > 0 else 0) if points else 1 - decider
            total += chance * by_hand(left - 1, extra_ends, following, lead + points, then, tie)[0]
        options[choice] = total
    best = max if decider == 0 else min
    choice = best(options, key=lambda key: options[key])
    return options[choice], choice


@pytest.mark.parametrize(("ends", "extra_ends", "tie"), [(1, 0, 0.5), (2, 0, 0.3), (2, 1, 0.781)])
def test_values_and_choices_agree_with_a_recursion_over_the_teams(ends, extra_ends, tie):
    values, choices = setup_values(ends, extra_ends, tie)
    flat = np.concatenate([values.ravel(), choices.ravel()])
    for left in range(ends + extra_ends + 1):
        for decider in (0, 1):
            for lead in range(-4, 5):
                for powers in ((True, True), (True, False), (False, True), (False, False)):
                    where = left, decider, lead, *map(float, powers)
                    expected, choice = by_hand(left, extra_ends, decider, lead, powers, tie)
                    assert decider_value(flat, *where) == pytest.approx(expected, abs=1e-9), where
                    if choice is not None:
                        assert best_choice(flat, *where) == choice, where


def test_leads_beyond_the_table_count_as_its_largest():
    values, choices = setup_values(2)
    flat = np.concatenate([values.ravel(), choices.ravel()])
    assert decider_value(flat, 1, 1, -99, 0.0, 0.0) == 1.0 - values[1, 0, 2 * MOST_LEAD]
    assert decider_value(flat, 9, 0, 0, 1.0, 0.0) == values[2, 2, MOST_LEAD]


def test_a_power_play_left_is_worth_something_and_the_own_one_more():
    values, _ = setup_values(4)
    tied = values[4, :, MOST_LEAD]
    assert tied[2] > tied[0] > tied[1]  # own, none, the other team's
    assert (np.diff(values[1:], axis=-1) >= -1e-12).all()


def test_the_model_sets_up_by_the_table():
    model = Curling(ends=3, game="mixed_doubles", reward="win")
    tables = model.params[VALUES : int(model.params[NETWORK])]
    for lead in range(-3, 4):
        state = model.begin_end(mixed_state_of(no_stones(), 0, end=1, lead=lead))
        choice = best_choice(tables, 2, 1, lead, 1.0, 1.0)
        assert (state[1] == 0) == (choice == CENTER_GUARD)
        assert (state[37] == 0.0) == (choice == PP_RIGHT)
