"""The win probability of a position is the same wherever it is shown."""

import re

import numpy as np
import pytest

from bonspiel.curling import players
from bonspiel.curling.analysis.position import analyse
from bonspiel.curling.analysis.report import report
from bonspiel.curling.client.planning import planner_worker
from bonspiel.curling.client.planning.planner_worker import _choose
from bonspiel.curling.game import CurlingGame
from bonspiel.curling.ice.noise import Noise
from bonspiel.curling.match.state import HAMMER, LEAD, TIME, stones_of
from bonspiel.curling.model import Curling
from bonspiel.curling.records.match_data import Match
from bonspiel.curling.records.position import EXTRA_ENDS, MatchPosition
from bonspiel.curling.records.umpire import replay
from bonspiel.curling.replay.judgement import Judged, Judgement
from bonspiel.curling.replay.page_events import PageEvents, record_events
from bonspiel.curling.settings import MatchSettings
from bonspiel.curling.win_probability import win_probability
from bonspiel.planners.planner import Budget
from bonspiel.runs.games.game import ScheduledGame, Side
from bonspiel.runs.games.play import play_game

SHOTS = 0, 7, 16, 31  # of two ends, the first of each included


@pytest.fixture(scope="module")
def match():
    side = Side("rulebased", 20, "simulations")
    return play_game(CurlingGame(ends=2, extra_ends=EXTRA_ENDS), ScheduledGame((side, side), 3, 0, 0))


GAMES = {"four_rock": {"rule": "four_rock"}, "twice the errors": {"noise": "2*normal_dist"}, "dc2": {"physics": "dc2"}}
GAMES |= {"no errors": {"noise": "none"}, "mixed doubles": {"game": "mixed_doubles"}, "usual": {}}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("shot", [9, 14, 15])
def test_client_map_and_page_show_the_same_in_every_game(game, shot, monkeypatch):
    monkeypatch.setattr(planner_worker, "SLOW_SECONDS", 0.0)
    model = Curling(2, extra_ends=EXTRA_ENDS, reward="win_probability", **GAMES[game])
    rng = np.random.default_rng(shot)
    state, after = model.initial_state(rng), np.empty(model.state_dim)
    while state[TIME] < shot:
        model.rollout(state.copy(), after, 1, model.params, rng)
        state = after.copy()
    position = MatchPosition.of(model, state)
    chance = _choose(players.parse("rulebased"), position, 0.05, rng, lambda _: None, 0).chance
    found = analyse(model, state, players.parse("rulebased"), "rulebased", Budget(simulations=10), rng)
    assert found.before == pytest.approx(chance, abs=1e-9)
    maker = PageEvents(Match(players=("a", "b"), ends=2, extra_ends=EXTRA_ENDS, **GAMES[game]))
    maker.state = state
    assert abs(position.team - maker.match_event()["chance"]) == pytest.approx(chance, abs=0.0005 + 1e-9)


def test_a_client_in_a_hurry_does_not_spend_its_time_on_the_chances():
    """With two stones to come a search would take longer than the shot may."""
    model = Curling(2, extra_ends=EXTRA_ENDS, reward="win_probability")
    rng = np.random.default_rng(14)
    state, after = model.initial_state(rng), np.empty(model.state_dim)
    while state[TIME] < 14:
        model.rollout(state.copy(), after, 1, model.params, rng)
        state = after.copy()
    position = MatchPosition.of(model, state)
    choice = _choose(players.parse("rulebased"), position, 0.05, rng, lambda _: None, 0)
    assert abs(position.team - win_probability(model, state, is_quick=True)) == pytest.approx(choice.chance, abs=1e-9)
    assert choice.chance != pytest.approx(abs(position.team - win_probability(model, state)), abs=1e-9)


def of_the_client(match, number):
    """The thrower's, in the worker of the client."""
    state = replay(match)[number]
    end, shot = divmod(int(state[TIME]), 16)
    place = stones_of(state), shot, int(state[HAMMER]), int(state[LEAD])
    noise = Noise(float(np.float32(0.0076)), 0.0018)
    settings = MatchSettings(2 - end, extra_ends=EXTRA_ENDS, reward="win_probability", noise=noise)
    position = MatchPosition(*place, settings=settings)
    choice = _choose(players.parse("rulebased"), position, 0.05, np.random.default_rng(0), lambda _: None, 0)
    return position.team, choice.chance


def of_the_page(match, number):
    chances = [event["chance"] for event in record_events(match)[0] if "chance" in event]
    return chances[number]


def of_the_analysis(match, number):
    """The thrower's, in the line of a judged shot."""
    judged = Judged("a judge", match.shots, {number: Judgement((0.1, 2.4, 1.0), "draw", "guard", *[0.5] * 5)})
    (line,) = re.findall(r"^ +\d+  \w+ .*$", report(match, judged), re.MULTILINE)
    return float(line.split()[2]) / 100.0


@pytest.mark.parametrize("number", SHOTS)
def test_client_analysis_and_page_show_the_same(match, number):
    team, client = of_the_client(match, number)
    assert of_the_analysis(match, number) == pytest.approx(client, abs=0.0005 + 1e-9)
    assert abs(team - of_the_page(match, number)) == pytest.approx(client, abs=0.0005 + 1e-9)


def test_client_and_analysis_say_what_it_assumes(match, capsys):
    from bonspiel.runs.cli import main

    judged = Judged("a judge", match.shots, {0: Judgement((0.1, 2.4, 1.0), "draw", "guard", *[0.5] * 5)})
    with pytest.raises(SystemExit):
        main(["client", "dc3", "--help"])
    for text in (report(match, judged), " ".join(capsys.readouterr().out.split())):
        assert "against a weaker one, such as rulebased" in text and "too low" in text
