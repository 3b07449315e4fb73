"""The study of the champion where `bonspiel match` cannot begin: starts, results by side, and pairs."""

import json
from types import SimpleNamespace

import pytest

from bonspiel.curling.ice.noise import Noise
from bonspiel.curling.match.state import HAMMER, LEAD, shot_of, team_of
from bonspiel.planners.planner import Budget
from docs.studies import champion as study
from docs.studies.champion import SITUATIONS, first_state, main, play, table

TEE, AWAY = (0.1317, 2.3997), (-0.3, 3.9)


def throwing(aim):
    return SimpleNamespace(plan=lambda model, *_: SimpleNamespace(action=model.aim(*aim, 1.0)))


@pytest.mark.parametrize("name", SITUATIONS)
@pytest.mark.parametrize("team", [0, 1])
def test_the_player_that_draws_wins_whichever_team_it_is(name, team):
    sides = throwing(TEE), throwing(AWAY)
    for first, won in ((sides, 1.0), (sides[::-1], 0.0)):
        assert play(SITUATIONS[name], first, team, Budget(1), 1, 0) == won


def test_the_team_with_the_hammer_is_as_many_points_behind_as_the_name_says():
    for name, lead in (("tied", 0), ("two_down", 2), ("two_down_before", 2)):
        state = first_state(SITUATIONS[name])
        assert (state[HAMMER], state[LEAD], team_of(state)) == (1.0, lead, 0)


def test_unlike_players_throw_as_in_the_example():
    situation = SITUATIONS["unlike"]
    state = first_state(situation)
    assert shot_of(state) == 6
    assert situation.match.thrower(state).noise == Noise(speed=0.08, angle=0.006)


def test_both_games_of_a_pair_meet_the_same_errors():
    both = throwing(TEE), throwing(TEE)
    for pair in range(4):
        values = [play(SITUATIONS["tied"], both, team, Budget(1), 1, pair) for team in (0, 1)]
        assert sum(values) == 1.0


def test_the_table_counts_the_games_of_each_side():
    assert table([0.0, 1.0, 0.5, 1.0]) == (
        "4 games, 2 / 1 / 1, 0.625 [0.500, 0.750] over pairs, without / with the hammer first 0.250 / 1.000"
    )


def test_a_file_of_games_is_continued(tmp_path, capsys, monkeypatch):
    file, seen = tmp_path / "games.jsonl", []
    monkeypatch.setattr(study, "play", lambda *given: seen.append(given[-1]) or float(given[2]))
    line = ["tied", "--planner", "rulebased", "--against", "random", "--games", str(file), "--pairs"]
    assert main([*line, "1"]) == 0
    assert main([*line, "3"]) == 0
    assert seen == [0, 0, 1, 1, 2, 2]
    assert [json.loads(text) for text in file.read_text().splitlines()] == [[0.0, 1.0]] * 3
    assert "6 games, 3 / 3 / 0" in capsys.readouterr().out
