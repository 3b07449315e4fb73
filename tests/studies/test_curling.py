"""The study of the win probability: fast matches, the fit, and the tables."""

from types import SimpleNamespace

import numpy as np
import pytest

from bonspiel.curling.match.state import TIME
from bonspiel.curling.win_probability import with_slope
from bonspiel.planners.planner import Budget
from docs.studies.curling import cross_fitted, fitted, main, play, table

BUDGETS = Budget(1), Budget(1)
TEE, AWAY = (0.1317, 2.3997), (-0.3, 3.9)


def throwing(aim):
    return SimpleNamespace(plan=lambda model, *_: SimpleNamespace(action=model.aim(*aim, 1.0)))


@pytest.mark.parametrize("number", range(4))
def test_the_player_that_draws_wins_whichever_team_it_is(number):
    sides = throwing(TEE), throwing(AWAY)
    for first, won in ((sides, 1.0), (sides[::-1], 0.0)):
        sample = play(number, first, BUDGETS, np.random.default_rng(number))
        assert (sample.team, sample.won) == (number % 2, won)
        assert 0 <= sample.state[TIME] < 16 * sample.ends <= 32


def drawn(slopes, count=40_000):
    """Expectations, stones to come, and results that are won as often as these slopes say."""
    rng = np.random.default_rng(1)
    value, to_come = rng.random(count), rng.integers(1, 17, count)
    return value, to_come, (rng.random(count) < with_slope(value, to_come, slopes)).astype(float)


@pytest.mark.parametrize("slopes", [(1.0, 0.0), (0.8, 0.6)])
def test_the_slopes_by_which_results_were_drawn_are_found(slopes):
    assert fitted(*drawn(slopes)) == pytest.approx(slopes, abs=0.06)


def test_no_result_counts_in_the_slopes_of_its_own_half():
    value, to_come, won = drawn((0.7, 0.8), 400)
    changed = won.copy()
    changed[::2] = 1.0 - changed[::2]
    before, after = cross_fitted(value, to_come, won), cross_fitted(value, to_come, changed)
    np.testing.assert_array_equal(before[::2], after[::2])
    assert (before[1::2] != after[1::2]).all()


def test_the_table_counts_each_tenth():
    lines = table(np.array([0.05, 0.05, 0.95, 1.0]), np.array([0.0, 1.0, 1.0, 1.0])).splitlines()
    assert [line.split()[1:6:2] for line in lines[2:4]] == [["0.0", "2", "0.050"], ["0.9", "2", "0.975"]]
    assert "0.500 [" in lines[2] and "1.000 [" in lines[3]
    assert lines[-1] == "Brier score 0.2269; always saying 0.750 would give 0.1875"


def test_a_file_of_positions_is_played_once_and_shown_again(tmp_path, capsys):
    file = tmp_path / "positions.jsonl"
    line = ["--matches", "6", "--against", "rulebased", "--simulations", "20", "20", "--positions", str(file)]
    assert main(line) == 0
    played, shown = file.read_text(), capsys.readouterr().out
    assert main(line) == 0
    assert (file.read_text(), capsys.readouterr().out) == (played, shown)
    assert len(played.splitlines()) == 6 and shown.count("Brier score") == 3
