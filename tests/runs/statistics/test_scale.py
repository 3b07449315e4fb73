"""What scores are measured by: an optimum, else a reference, else the best of the run, each called by its name."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bonspiel import envs
from bonspiel.envs.references import REFERENCES
from bonspiel.planners.core.code.cache import SAID
from bonspiel.runs.experiment import Setting
from bonspiel.runs.reporting import chart, charts
from bonspiel.runs.statistics import ends
from bonspiel.runs.statistics.curves import Panel, caption, columns
from bonspiel.runs.statistics.sample import Summary
from bonspiel.runs.statistics.scale import BEST, DO_NOTHING, OPTIMUM, RANDOM, REFERENCE, Known, Scale, known

CURVES = {"uct": [(10.0, Summary(4, 1.5, 1.0, 2.0, 1.5))]}


def test_scores_are_0_at_the_low_and_1_at_the_high_end():
    scale = Scale(-10.0, 30.0, OPTIMUM)
    assert scale.scores(np.array([-10.0, 10.0, 30.0, 50.0])).tolist() == [0.0, 0.5, 1.0, 1.5]


def test_the_optimum_goes_before_a_reference_and_both_need_the_random_policy_or_doing_nothing():
    assert Known(3.0, 1.0).scale == Scale(1.0, 3.0, OPTIMUM)
    assert Known(None, 1.0, 2.0).scale == Scale(1.0, 2.0, REFERENCE)
    assert Known(None, 1.0).scale is Known(3.0, None).scale is Known(None, None, 2.0).scale is None
    assert Known(3.0, do_nothing=2.0).scale == Scale(2.0, 3.0, OPTIMUM, DO_NOTHING)


def test_score_0_is_the_better_of_doing_nothing_and_random():
    assert Known(3.0, 1.0, do_nothing=2.0, constant=2.5).scale == Scale(2.0, 3.0, OPTIMUM, DO_NOTHING, 2.5)
    assert Known(3.0, 1.0, do_nothing=0.0).scale == Scale(1.0, 3.0, OPTIMUM, RANDOM)
    assert Known(3.0, 1.0, do_nothing=1.0).zero == RANDOM
    assert Known(3.0, 1.0, do_nothing=3.0).scale is None  # nothing is left to score


@pytest.mark.parametrize(
    "values",
    [
        Known(3.0, 1.0, do_nothing=3.0 - 4e-16),
        Known(3.0, 1.0, do_nothing=2.9981),  # a share of 0.00095
        Known(3.0, do_nothing=3.0 - 1e-12),
        Known(-1e6, -2e6, reference=None, do_nothing=-1e6 - 1e-4),
    ],
)
def test_nothing_is_scored_between_ends_that_rounding_or_simulations_tell_apart(values):
    assert values.scale is None


def test_a_small_but_clear_distance_is_scored():
    assert Known(3.0, 1.0, do_nothing=2.9979).scale == Scale(2.9979, 3.0, OPTIMUM, DO_NOTHING)
    assert Known(1e-9, do_nothing=0.0).scale == Scale(0.0, 1e-9, OPTIMUM, DO_NOTHING)


@pytest.mark.parametrize(
    ("env", "zero"),
    [("double_integrator", DO_NOTHING), ("hovering", DO_NOTHING), ("racetrack", RANDOM), ("trap", DO_NOTHING)],
)
def test_the_zero_of_a_problem(env, zero):
    found = known(env)
    assert found.scale.zero == zero and found.scale.low == max(found.random, found.do_nothing)


def test_what_is_known_of_environments():
    assert known("trap").levels == {
        "optimum": pytest.approx(1.7),
        "constant action": pytest.approx(1.7, abs=0.01),
        "random policy": pytest.approx(1.03, abs=1e-3),
        "do nothing": pytest.approx(1.4),
    }
    found = known("bicycle:lookahead=20")
    assert (found.optimum, found.reference) == (None, REFERENCES["bicycle"].mean)
    assert found.scale.name == "normalised score (reference)"
    assert Scale(0.0, 1.0, OPTIMUM).name == "normalised score"


def test_a_reference_is_marked_in_tables_and_charts():
    panel = Panel("x", "simulations", CURVES, Known(None, 1.0, reference=3.0, do_nothing=0.5, constant=0.75))
    assert columns(panel)["normalised score (reference)"](CURVES["uct"][0][1]) == (0.25, 0.0, 0.5)
    assert not {"regret", "normalised score"} & columns(panel).keys()
    assert "reference 3.0000" in caption(panel) and "optimum" not in caption(panel)
    (axes,) = chart.draw([panel]).axes
    levels = {"reference 3.000", "random policy 1.000", "do nothing 0.500", "constant action 0.750"}
    assert {text.get_text() for text in axes.texts} == levels
    assert {"name": "reference", "value": 3.0} in charts.returns(panel)["levels"]
    assert {"name": "do nothing", "value": 0.5} in charts.returns(panel)["levels"]
    samples = {Setting("x", "uct", 10.0, "simulations", 0): np.array([1.0, 2.0, 3.0, 4.0])}
    profile = charts.profiles(panel, samples)
    assert profile["x"].startswith("normalised score (reference)")
    assert profile["at"][-1] == pytest.approx(1.5 + 0.03 * 1.5)
    known_panel = replace(panel, known=panel.known._replace(optimum=4.0, reference=None))
    assert charts.profiles(known_panel, samples)["x"].startswith("normalised score of")


def test_the_best_of_the_run_stands_in_only_where_there_is_neither(monkeypatch):
    values = {"a": Known(5.0, 0.0), "b": Known(None, 0.0, 4.0), "c": Known(None, 0.0), "d": Known(None, None)}
    monkeypatch.setattr(ends, "known", values.get)
    samples = {
        Setting(env, planner, 10, "simulations", 0): np.array([mean - 1.0, mean + 1.0])
        for env in values
        for planner, mean in (("uct", 3.0), ("dpw", 2.0))
    }
    found = ends.scales(samples.items())
    assert found == {"a": Scale(0.0, 5.0, OPTIMUM), "b": Scale(0.0, 4.0, REFERENCE), "c": Scale(0.0, 3.0, BEST)}
    played = samples | {Setting("d", "random", 10, "simulations", 0): np.array([1.0, 1.0])}
    assert ends.scales(played.items())["d"] == Scale(1.0, 3.0, BEST, zero_played=True)
    played |= {Setting("d", "do_nothing", 10, "simulations", 0): np.array([1.5, 2.5])}
    played |= {Setting("d", "constant", 10, "simulations", 0): np.array([2.5, 2.5])}
    assert ends.scales(played.items())["d"] == Scale(2.0, 3.0, BEST, DO_NOTHING, 2.5, zero_played=True)
    played |= {Setting("d", "do_nothing", 10, "simulations", 0): np.array([9.0, 9.0])}
    assert "d" not in ends.scales(played.items())  # the better of the two has the highest return


def test_boards_of_a_reference_say_so_in_heads_and_notes():
    from bonspiel.runs.reporting.leaderboards.boards import Findings

    found = Findings([], {"a": Scale(0, 5, OPTIMUM), "b": Scale(0, 4, REFERENCE), "c": Scale(0, 3, BEST)}, {})
    assert found.heads == {"a": "a", "b": "b (reference)", "c": "c (best of the run)"}
    assert "1: the optimum, the reference in b, the best of the run in c" in found.scale


def test_models_are_compared_by_their_parameters_alone():
    from bonspiel.envs.references import reference

    assert reference(envs.parse("racetrack:lookahead=5")) is REFERENCES["racetrack"]
    assert reference(envs.parse("racetrack:track=hairpin")) is REFERENCES["racetrack:track=hairpin"]
    assert reference(envs.parse("racetrack:slip=0.2")) is None
    assert reference(SimpleNamespace()) is None


@pytest.mark.parametrize(
    "env", ["no_such_module:Model", "gym:NoSuchEnvironment-v0", "trap --plant no_such_module:Model"]
)
def test_a_problem_that_cannot_be_made_here_has_no_known_values_and_a_line_says_so(env, monkeypatch, capfd):
    monkeypatch.delenv(SAID, raising=False)
    assert known(env) == Known()
    assert "cannot be made here, so that its optimum and baselines are not known: " in capfd.readouterr().err
