"""The champion: its search, budgets, threads, reports, and what it does without weights."""

import itertools
import subprocess
import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from bonspiel.curling import model_params, players
from bonspiel.curling.dynamics import step_with_errors
from bonspiel.curling.ice.engines.analytic import WORKSPACE
from bonspiel.curling.ice.noise import Noise, Thrower, noise_of
from bonspiel.curling.ice.sheet import STONES, no_stones
from bonspiel.curling.match.state import state_of
from bonspiel.curling.model import Curling
from bonspiel.curling.model_params import nearest_network, weights_of
from bonspiel.curling.players import champion
from bonspiel.curling.players.champion import Champion
from bonspiel.curling.players.evaluation import with_nearest_network
from bonspiel.curling.players.lookahead import AIMS_KEPT, BEST_REPLIES, FEW, expect, look_further, new_scratch, screen
from bonspiel.curling.players.quasi_random import MOST_ERRORS, quasi_random_errors
from bonspiel.curling.players.reply_search import FIRST_ERRORS, ReplySearch
from bonspiel.curling.win_probability import estimating, win_probability
from bonspiel.planners import Budget, Decision
from bonspiel.planners.core.actions import own_actions
from bonspiel.planners.core.aims import aims_of
from bonspiel.planners.core.search import Stopped, progress_to, stopped_by
from bonspiel.planners.planner import announce
from bonspiel.planners.wrappers.presearch import Presearch
from bonspiel.planners.wrappers.presearch.ties import tied_actions

MODEL = Curling(2, reward="win_probability")
PAIR = Thrower(4.0, Noise(0.05, 0.005)), Thrower(3.0, Noise(0.05, 0.005))
EXACT = PAIR[0], Thrower(3.0, Noise())


def position(shot, seed=3, model=MODEL):
    """A position that the default policy reaches."""
    rng = np.random.default_rng(seed)
    state = model.initial_state(rng)
    after = np.empty_like(state)
    for _ in range(shot):
        model.rollout(state.copy(), after, 1, model.params, rng)
        state = after.copy()
    return state


def plan(simulations, shot=9, threads=1, seed=1, root_actions=None, **parameters):
    """A decision."""
    budget, rng = Budget(simulations=simulations), np.random.default_rng(seed)
    return Champion(threads=threads, **parameters).plan(MODEL, position(shot), budget, rng, root_actions)


@pytest.mark.parametrize("noise", ["normal_dist", "human", "none", Noise(0.01, 0.002, 0.003, 0.004)])
def test_a_throw_with_errors_is_a_noisy_throw(noise):
    model = replace(MODEL, noise=noise)
    state, action = position(7), model.aim(0.05, 2.5, 1.0)
    drawn, errors = np.random.default_rng(5), np.zeros(4)
    given = np.array(noise_of(noise).sds) > 0.0
    errors[given] = drawn.standard_normal(int(given.sum()))
    thrown, noisy = np.empty_like(state), np.empty_like(state)
    step_with_errors(state, action, errors, thrown, model.params, np.empty((STONES, 2)), np.empty(WORKSPACE))
    model.step(state, action, noisy, model.params, np.random.default_rng(5))
    np.testing.assert_array_equal(thrown, noisy)


def errors_of(rng, count):
    """The first errors of a decision."""
    return quasi_random_errors(rng.random(4), 0, count)


def test_quasi_random_errors_are_standard_normal():
    shift = np.random.default_rng(0).random(4)
    errors = quasi_random_errors(shift, 0, MOST_ERRORS)
    assert errors.shape == (MOST_ERRORS, 4)
    np.testing.assert_array_equal(quasi_random_errors(shift, 5, 9), errors[5:9])
    np.testing.assert_allclose(errors.mean(0), 0.0, atol=0.01)
    np.testing.assert_allclose(np.cov(errors.T), np.eye(4), atol=0.02)


@pytest.mark.parametrize("game", ["standard", "mixed_doubles"])
def test_values_a_shot_ahead_are_those_of_the_positions_after(game):
    file = nearest_network(MODEL)[1].file
    model = replace(MODEL, weights=str(file), game=game, rule=None)
    state, rng, scratch = position(9 - model.first_shot, model=model), np.random.default_rng(0), new_scratch()
    aims = own_actions(model, state)
    errors, after = errors_of(rng, 3), np.empty_like(state)
    values, screened = np.empty((len(aims), 3)), np.empty(len(aims))
    expect(state, aims, errors, model.params, rng, values, scratch)
    screen(state, aims, model.params, rng, screened, scratch)
    mover = model.player(state, model.params)
    for i, aim in enumerate(aims):
        model.step_exact(state, aim, after, model.params, rng)
        assert screened[i] == pytest.approx(mover * model.value(after, after.copy(), 1, model.params, rng))
        step_with_errors(state, aim, errors[2], after, model.params, scratch.stones, scratch.workspace)
        assert values[i, 2] == pytest.approx(mover * model.value(after, after.copy(), 1, model.params, rng))


@pytest.mark.parametrize(("count", "aims_tried"), [(FEW, 0), (8, 0), (8, 3), (8, 40)])
def test_a_best_reply_is_the_best_of_the_five_that_are_best_by_the_first_errors(count, aims_tried):
    state, rng, scratch = position(9), np.random.default_rng(0), new_scratch()
    aims, errors = own_actions(MODEL, state)[:3], errors_of(rng, 5 + count)
    replied, after = np.empty((3, 1)), np.empty_like(state)
    tried = aims_of(MODEL.aim_grid(state, 40))[:aims_tried]
    thrown = look_further(state, aims, errors[:1], tried, errors[5:], MODEL.params, rng, replied, scratch)
    expected = 0
    for i, aim in enumerate(aims):
        step_with_errors(state, aim, errors[0], after, MODEL.params, scratch.stones, scratch.workspace)
        exact = np.empty(aims_tried)
        screen(after, tried, MODEL.params, rng, exact, scratch)
        replies = np.concatenate([own_actions(MODEL, after), tried[np.argsort(-exact, kind="stable")[:AIMS_KEPT]]])
        values = np.empty((len(replies), count))
        expect(after, replies, errors[5:], MODEL.params, rng, values, scratch)
        chosen = np.argsort(-values[:, :FEW].mean(1))[:BEST_REPLIES]
        assert -replied[i, 0] == pytest.approx(values[chosen].mean(1).max())
        expected += 1 + aims_tried + FEW * len(replies) + (count - FEW) * len(chosen)
    assert thrown == expected


def test_the_last_stone_takes_what_wins():
    stones = no_stones()
    stones[0] = 0.0, 38.405  # team 0 lies shot on the tee, and team 1 has the last stone, a point behind
    state = state_of(stones, 15, hammer=1, end=1, lead=0)
    decision = Champion(threads=1).plan(MODEL, state, Budget(simulations=8_000), np.random.default_rng(0))
    assert decision.value > -0.35  # a take-out that stays; values of team 1 are losses of team 0
    after, rng, wins = np.empty_like(state), np.random.default_rng(1), 0.0
    for _ in range(200):
        wins += 1.0 - MODEL.step(state, decision.action, after, MODEL.params, rng)[0]
    assert 1.0 + decision.value == pytest.approx(wins / 200, abs=0.08)


@pytest.mark.parametrize("shot", [9, 15])
@pytest.mark.parametrize("simulations", [1, 500, 3_000, 100_000])
def test_without_errors_each_shot_is_thrown_once_and_the_opponent_tries_a_grid(simulations, shot):
    model, budget = replace(MODEL, noise="none"), Budget(simulations=simulations)
    state = position(shot, model=model)
    decision, again = (
        Champion(threads=threads).plan(model, state, budget, np.random.default_rng(0)) for threads in (1, 3)
    )
    np.testing.assert_array_equal(decision.values, again.values)
    assert decision.simulations <= simulations
    assert decision.visits.max() <= 1 + (shot == 9)  # and one reply
    if simulations > 1_000:
        assert decision.simulations > 0.2 * min(simulations, 100_000 if shot == 9 else 4_000)


def test_errors_of_deviation_0_are_none_whatever_their_freedom():
    exact, scaled = (
        Champion(threads=1).plan(model, position(9, model=model), Budget(simulations=500), np.random.default_rng(0))
        for model in (replace(MODEL, noise=noise) for noise in ("none", Noise(freedom=3.0)))
    )
    np.testing.assert_array_equal(exact.values, scaled.values)


def test_without_errors_a_last_stone_that_wins_is_certain():
    stones = no_stones()
    stones[0] = 0.0, 38.405
    state, model = state_of(stones, 15, hammer=1, end=1), replace(MODEL, noise="none")
    decision = Champion(threads=1).plan(model, state, Budget(simulations=8_000), np.random.default_rng(0))
    after = np.empty_like(state)
    assert decision.value == 0.0 == model.step(state, decision.action, after, model.params, np.random.default_rng(0))[0]


@pytest.mark.parametrize(
    ("hopes", "replied", "chosen"),
    [
        ((0.02, 0.03, 0.01), (0.0, 0.0, 0.001), 1),  # lost: what promised most before the reply
        ((0.03, 0.0301, 0.0302), (0.0, 0.0, 0.0), 1),  # of equals the first of the rule-based shots
        ((0.02, 0.03, 0.01), (0.0, 0.0, 0.01), 2),  # the best reply leaves one a chance
        ((0.02, 0.02, 0.02), (None, None, None), 1),  # a last stone that changes nothing
        ((0.02, 0.03, 0.01), (None, None, None), 2),
    ],
)
@pytest.mark.parametrize("low", [0.0, -1.0])
def test_a_lost_shot_promised_most_and_equals_are_simple(hopes, replied, chosen, low):
    search = object.__new__(ReplySearch)
    search.model, search.low, search.rule_based, search.errors = MODEL, low, 1, np.array([4, 4, 4])
    search.values = low + np.add.outer(hopes, [0.0, 0.001, -0.001, 0.0])
    corrections = ((reply is not None) * [low + (reply or 0.0)] * 2 for reply in replied)
    search.corrections = [list(np.array(to) - search.values[i, : len(to)]) for i, to in enumerate(corrections)]
    assert search.most_hopeful(np.array([2, 0, 1]))[0] == chosen


@pytest.mark.parametrize(("shot", "simulations"), [(0, 4_000), (9, 4_000), (14, 40_000), (15, 4_000)])
def test_decisions_are_the_same_on_any_number_of_threads(shot, simulations):
    one, two = (plan(simulations, shot, threads) for threads in (1, 3))
    np.testing.assert_array_equal(one.action, two.action)
    np.testing.assert_array_equal(one.values, two.values)
    assert (one.value, one.simulations) == (two.value, two.simulations)


@pytest.mark.parametrize("shot", [9, 14, 15])
@pytest.mark.parametrize("simulations", [1, 70, 1_500, 12_000])
def test_budgets_of_throws_are_kept(simulations, shot):
    decision = plan(simulations, shot)
    assert decision.simulations <= simulations
    assert np.isfinite(decision.value)


def test_with_two_stones_left_shots_are_played_on_to_the_best_last_stone():
    """The search's own replies are too few: its values would be .11 too high here."""
    model, after, errors = estimating(MODEL), np.empty(MODEL.state_dim), []
    for seed in (0, 1):
        state = position(14, seed)
        decision = Champion(threads=1).plan(MODEL, state, Budget(simulations=100_000), np.random.default_rng(1))
        values = []
        for number in range(60):
            model.step(state, decision.action, after, model.params, np.random.default_rng(number))
            values.append(win_probability(model, after))
        errors.append(decision.value * model.player(state, model.params) - np.mean(values))
    assert abs(np.mean(errors)) < 0.06


@pytest.fixture
def throwing(monkeypatch):
    """Time passes by throws alone, 4 us each."""
    plan(10)  # loads compiled code
    searches, begin, init = [], time.perf_counter(), ReplySearch.__init__

    def noted(self, *given):
        init(self, *given)
        searches.append(self)

    monkeypatch.setattr(ReplySearch, "__init__", noted)
    monkeypatch.setattr(time, "perf_counter", lambda: begin + 4e-6 * (1 + sum(search.thrown for search in searches)))


@pytest.mark.parametrize(
    ("seconds", "shot"), [(0.02, 8), (0.02, 14), (0.02, 15), (0.2, 8), (0.2, 14), (0.2, 15), (1.0, 8)]
)
def test_time_budgets_are_kept_and_used(throwing, seconds, shot):
    decision = Champion(threads=1).plan(MODEL, position(shot), Budget(seconds=seconds), np.random.default_rng(0))
    assert decision.seconds < 1.05 * seconds + 0.004
    assert decision.seconds > 0.5 * seconds or shot == 15  # which stops when it has thrown all its errors


def test_the_last_stone_stops_when_its_best_shots_have_been_thrown_with_all_errors():
    decisions = [plan(simulations, 15) for simulations in (50_000, 200_000)]
    assert all((decision.visits == MOST_ERRORS).sum() == 2 for decision in decisions)
    assert decisions[0].simulations < 50_000


def test_the_first_decision_loads_all_that_later_ones_need():
    code = (
        "from bonspiel.curling.players.lookahead import look_further\n"
        "from bonspiel.curling.players.serve import ready\n"
        "ready('champion:threads=1')\n"
        "print(len(look_further.overloads))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert result.stdout.split()[-1:] == ["1"], result.stderr


@pytest.mark.parametrize("shot", [9, 15])
def test_root_actions_are_the_only_ones_within_a_time_budget_too(shot):
    given = own_actions(MODEL, position(shot))[2:5]
    for budget in (Budget(simulations=2_000), Budget(seconds=0.05)):
        decision = Champion(threads=1).plan(MODEL, position(shot), budget, np.random.default_rng(0), given)
        np.testing.assert_array_equal(decision.actions, given)
        assert (decision.visits > 0).all()
        assert (given == decision.action).all(1).any()


def test_more_throws_make_better_shots_in_the_eyes_of_a_deep_search():
    gains, scratch, rng = [], new_scratch(), np.random.default_rng(2)
    errors, params = errors_of(rng, 140), replace(MODEL, table="network").params
    for shot, seed in itertools.product((3, 6, 9, 11, 13), range(3, 7)):
        state, planner = position(shot, seed), Champion(threads=1)
        budgets = Budget(simulations=70), Budget(simulations=8_000)
        shots = np.array([planner.plan(MODEL, state, budget, np.random.default_rng(1)).action for budget in budgets])
        values = np.empty((2, 128))
        look_further(state, shots, errors[:128], shots[:0], errors[128:], params, rng, values, scratch)
        gains.append(values[1].mean() - values[0].mean())
    assert np.mean(gains) > 0.0


def test_without_weights_presearch_plays():
    model = Curling(2, reward="win_probability", weights="none")
    state, budget = position(9), Budget(simulations=300)
    one = Champion().plan(model, state, budget, np.random.default_rng(4))
    two = Presearch().plan(model, state, budget, np.random.default_rng(4))
    np.testing.assert_array_equal(one.action, two.action)


@pytest.fixture
def said_once():
    """What earlier tests made the champion say is forgotten."""
    champion._print_once.cache_clear()
    yield
    champion._print_once.cache_clear()


def test_noise_that_a_server_rounds_to_single_precision_is_the_same(capfd, said_once):
    rounded = replace(MODEL, noise=Noise(float(np.float32(0.0076)), float(np.float32(0.0018))))
    assert rounded.noise != noise_of("normal_dist") and len(weights_of(rounded)) == len(weights_of(MODEL)) > 0
    budget, state = Budget(simulations=4_000), position(9)
    one, two = (Champion(threads=1).plan(model, state, budget, np.random.default_rng(1)) for model in (MODEL, rounded))
    assert one.simulations == two.simulations
    np.testing.assert_allclose(one.action, two.action, atol=1e-3)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ({"rule": "four_rock"}, "rule='four_rock', the network is for 'five_rock'"),
        ({"noise": Noise(0.0077, 0.0018)}, "noise speed=0.0077, angle=0.0018, the network is for speed=0.0076, ang"),
        ({"max_speed": 3.5}, "max_speed=3.5, the network is for 4.0"),
        ({"game": "mixed_doubles", "noise": Noise(0.0077, 0.0018)}, "noise speed=0.0077, angle=0.0018, the network"),
        ({"noise": "none"}, "noise none, the network is for speed=0.0076, angle=0.0018"),
        ({"game": "mixed_doubles", "throwers": (PAIR, PAIR)}, "noise speed=0.05, angle=0.005, the network"),
        ({"game": "mixed_doubles", "throwers": (PAIR, EXACT)}, "noise speed=0.035, angle=0.0035"),
    ],
)
def test_other_games_are_searched_with_the_same_network_and_one_line_says_so(game, said, capfd, said_once):
    model, budget = Curling(2, reward="win_probability", **game), Budget(simulations=20)
    state = model.begin_end(model.initial_state(np.random.default_rng(0)))
    one, two = (Champion(threads=1).plan(model, state, budget, np.random.default_rng(4)) for _ in range(2))
    file = nearest_network(model)[1].file
    given = replace(model, weights=str(file), table=None if model.is_mixed else "network")
    known = Champion(threads=1).plan(given, state, budget, np.random.default_rng(4))
    for other in (two, known):
        np.testing.assert_array_equal(one.values, other.values)
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith(f"bonspiel: champion plays with the network of another game: {said}")


def test_the_parameters_of_a_match_are_made_once_for_all_its_shots():
    models = (with_nearest_network(Curling(2, game="mixed_doubles", throwers=(PAIR, PAIR))) for _ in range(2))
    one, two = (model.params for model in models)
    assert one is two


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ({"physics": "dc2"}, "physics='dc2', the network is for 'fcv1'"),
        ({"ends": 3}, "no network for game='standard' can be used"),
    ],
)
def test_one_line_says_why_presearch_plays(game, said, capfd, said_once, monkeypatch):
    if "ends" in game:
        monkeypatch.setattr(model_params, "own", lambda game: ())
    model = Curling(**{"ends": 2, "reward": "win_probability"} | game)
    state = model.initial_state(np.random.default_rng(0))
    for _ in range(2):
        Champion().plan(model, state, Budget(simulations=20), np.random.default_rng(4))
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith(f"bonspiel: champion leaves this game to presearch: {said}")


def test_workers_leave_the_line_to_their_parent(capfd, said_once, monkeypatch):
    monkeypatch.setattr(champion, "is_worker", lambda: True)
    announce(Champion(), Curling(rule="four_rock"))
    assert capfd.readouterr().err == ""


def test_points_decide_where_the_match_is_won():
    model = Curling(2, reward="win_probability")
    state = state_of(no_stones(), 14, hammer=1, end=1, lead=8)
    state[3:5] = 0.0, 38.9  # team 0's stone behind the tee
    decision = Champion(threads=1).plan(model, state, Budget(simulations=6_000), np.random.default_rng(0))
    assert decision.value > 0.99
    after, rng, points = np.empty_like(state), np.random.default_rng(0), []
    points_model = model.tie_breaker(state)
    for _ in range(40):
        model.step(state, decision.action, after, model.params, rng)
        points.append(points_model.rollout(after.copy(), after.copy(), 1, points_model.params, rng))
    assert np.mean(points) > -0.9


def test_the_best_shot_so_far_is_reported_and_a_report_can_end_the_search():
    seen = []

    def report(decision):
        seen.append(decision)
        return len(seen) == 3

    with progress_to(report):
        decision = plan(50_000)
    assert len(seen) == 3 and decision.simulations < 45_000
    np.testing.assert_array_equal(decision.action, seen[-1].action)
    assert seen[0].simulations < seen[1].simulations


def test_a_search_ends_when_it_is_told_to():
    event = threading.Event()
    threading.Timer(0.1, event.set).start()
    start = time.perf_counter()
    with stopped_by(event), pytest.raises(Stopped):
        plan(10_000_000)
    assert time.perf_counter() - start < 60.0


def test_values_stay_probabilities():
    state = state_of(no_stones(), 14, hammer=1, end=1, lead=1)
    state[3:5] = 0.0, 38.9
    for seed in range(6):
        decision = Champion(threads=1).plan(MODEL, state, Budget(simulations=1_500), np.random.default_rng(seed))
        tried = decision.visits > 0
        assert (decision.values[tried] >= 0.0).all() and (decision.values[tried] <= 1.0).all()


def test_a_finished_match_is_refused():
    model = Curling(1, reward="points")
    with pytest.raises(ValueError, match="state"):
        Champion().plan(model, state_of(no_stones(), 0, 0, end=1), Budget(simulations=9), np.random.default_rng(0))


def test_points_are_those_of_the_end_at_hand():
    one, three = (
        Champion(threads=1).plan(
            Curling(ends, reward="points"), position(14), Budget(simulations=3_000), np.random.default_rng(0)
        )
        for ends in (1, 3)
    )
    np.testing.assert_array_equal(one.values, three.values)


def test_matches_for_points_and_for_the_win_can_be_planned():
    for reward in ("points", "win"):
        model = Curling(1, reward=reward)
        state = position(12, model=model)
        decision = Champion(threads=1).plan(model, state, Budget(simulations=2_000), np.random.default_rng(0))
        assert np.isfinite(decision.value)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("champion:threads=0", "threads"),
        ("champion:screen_share=1", "screen_share"),
        ("champion:finalists=1", "finalists"),
        ("champion:reply_errors=9999", "reply_errors"),
    ],
)
def test_parameters_out_of_range_are_refused(text, word):
    with pytest.raises(ValueError, match=word):
        players.parse(text)


def test_shots_that_tie_are_compared_by_points_though_halving_gave_them_few_visits():
    decision = Decision(
        action=np.array([0.0]),
        value=0.999,
        simulations=0,
        seconds=0.0,
        actions=np.arange(5.0)[:, None],
        visits=np.array([900, 400, 16, 8, 16]),
        values=np.array([0.999, 0.9985, 0.998, 0.998, 0.9]),
    )
    assert tied_actions(decision, near=0.002).ravel().tolist() == [0.0]
    assert tied_actions(decision, 0.002, FIRST_ERRORS).ravel().tolist() == [0.0, 1.0, 2.0]
    assert tied_actions(replace(decision, visits=np.full(5, 4)), 0.002, FIRST_ERRORS).ravel().tolist() == [0, 1, 2, 3]
