import importlib.util

import numpy as np
import pytest

from bonspiel import envs
from bonspiel.planners.spaces import Choice, Range
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.tuning import samplers
from bonspiel.runs.tuning.samplers import BATCH, TPE, RandomSearch
from bonspiel.runs.tuning.space import Space
from bonspiel.runs.tuning.study import TuningStudy

STUDY = TuningStudy("trap", ("constant",))


def asked(sampler, score, batches=4, pruned=lambda number: False):
    """The values of all trials, told batch by batch."""
    found = []
    for batch in range(batches):
        numbers = range(1 + batch * BATCH, 1 + (batch + 1) * BATCH)
        new = [sampler.ask(number) for number in numbers]
        for number, values in zip(numbers, new, strict=True):
            sampler.tell(number, [score(values)], pruned(number))
        found += new
    return found


def near(values):
    return -abs(values["action"] - 0.7)


@pytest.fixture
def space(tunable):
    tunable(action=Range(0.01, 1.0), draws=Choice((0, 1)))
    return Space("constant", envs.parse("trap"), 1.0)


def test_a_logarithm_is_uniform_where_asked_for():
    rng = np.random.default_rng(0)
    drawn = [samplers.draw(Range(0.01, 1.0, log=True), rng) for _ in range(4000)]
    assert np.mean(np.array(drawn) < 0.1) == pytest.approx(0.5, abs=0.03)
    even = [samplers.draw(Range(0.01, 1.0), rng) for _ in range(4000)]
    assert np.mean(np.array(even) < 0.5) == pytest.approx(0.5, abs=0.03)


def test_random_draws_depend_on_study_and_trial_alone(space):
    first = RandomSearch(STUDY, space)
    assert first.ask(3) == RandomSearch(STUDY, space).ask(3) != first.ask(4)
    assert first.ask(3) != RandomSearch(TuningStudy("trap", ("constant",), seed=2), space).ask(3)
    assert first.ask(3) != RandomSearch(TuningStudy("trap", ("constant",), budget=10), space).ask(3)


def test_tpe_learns_from_batches_and_repeats_itself(space):
    found = asked(TPE(STUDY, space), near)
    assert found == asked(TPE(STUDY, space), near)
    scores = [near(values) for values in found]
    assert np.mean(scores[2 * BATCH :]) > np.mean(scores[:BATCH]) + 0.05
    assert found != asked(TPE(TuningStudy("trap", ("constant",), seed=2), space), near)
    other = asked(TPE(STUDY, space), lambda values: -near(values))
    assert other[:BATCH] == found[:BATCH]
    assert other[BATCH:] != found[BATCH:]


def test_tpe_does_not_return_to_pruned_trials(space):
    constant = asked(TPE(STUDY, space), lambda values: 0.0)
    pruned = {number for number, values in enumerate(constant[:BATCH], 1) if values["action"] < 0.5}
    assert 0 < len(pruned) < BATCH
    kept = asked(TPE(STUDY, space), lambda values: 0.0, 6, lambda number: number in pruned)[BATCH:]
    assert np.mean([values["action"] > 0.4 for values in kept]) > 0.7


def test_the_sampler_is_the_one_asked_for_and_random_without_optuna(space, monkeypatch):
    def made(name):
        return type(samplers.make(TuningStudy("trap", ("constant",), sampler=name), space))

    assert (made(None), made("tpe"), made("random")) == (TPE, TPE, RandomSearch)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert (made(None), made("random")) == (RandomSearch, RandomSearch)
    with pytest.raises(UsageError, match=r"pip install .*\[tune\]"):
        made("tpe")
