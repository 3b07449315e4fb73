import numpy as np
import pytest

from bonspiel import envs
from bonspiel.runs.tuning import samplers
from bonspiel.runs.tuning.samplers import BATCH
from bonspiel.runs.tuning.search import Journal, Trial, run, search, steps
from bonspiel.runs.tuning.space import Space
from bonspiel.runs.tuning.study import TuningStudy

STUDY = TuningStudy("trap", ("constant",), budget=1, trials=20, episodes=10, sampler="random")


class Given(Journal):
    """Returns that are given, and what was asked for."""

    def __init__(self, returns):
        super().__init__(1)
        self.given, self.asked = returns, []

    def play(self, settings, numbers, seen):
        self.asked += [(setting.planner, number) for setting in settings for number in numbers]

    def returns(self, setting, numbers):
        return np.array([self.given[setting.planner][number] for number in numbers])


def trials(*names):
    return [Trial(1, STUDY.setting(name)) for name in names]


def test_steps_share_the_episodes():
    assert steps(10) == [2, 4, 6, 8, 10]
    assert steps(7) == [2, 3, 5, 6, 7]
    assert steps(3) == [1, 2, 3]


def test_a_trial_is_stopped_where_its_mean_falls_below_the_median_of_earlier_ones():
    journal = Given({"good": [2, 2, 2, 2], "late": [2, 0, 9, 9], "poor": [0, 0, 9, 9], "even": [1, 1, 1, 1]})
    earlier = trials("a", "b", "c")
    for trial, level in zip(earlier, (0.0, 1.0, 5.0), strict=True):
        trial.means = [level, level, level + 0.5, level]
    batch = trials("good", "late", "poor", "even")
    left = []
    run(batch, earlier, [1, 2, 3, 4], journal, lambda count, seconds: left.append(count))
    assert [trial.pruned for trial in batch] == [False, False, True, True]
    assert [trial.means for trial in batch] == [[2, 2, 2, 2], [2, 1, 11 / 3, 5], [0], [1, 1, 1]]
    assert [number for name, number in journal.asked if name == "poor"] == [0]
    assert [number for name, number in journal.asked if name == "even"] == [0, 1, 2]
    assert left == [3, 1]


def test_nothing_is_stopped_without_earlier_trials_nor_at_the_last_step():
    journal = Given({"good": [1, 1], "poor": [0, 0]})
    batch = trials("good", "poor")
    run(batch, [], [1, 2], journal, lambda *seen: None)
    assert not any(trial.pruned for trial in batch)
    earlier, last = batch[:1], trials("poor")
    run(last, earlier, [2], journal, lambda *seen: None)
    assert not last[0].pruned


@pytest.mark.parametrize("sampler", ["tpe", "random"])
def test_the_first_batch_is_played_in_full_and_later_ones_are_asked_for_when_it_has_ended(
    tunable, monkeypatch, sampler
):
    study = TuningStudy("trap", ("constant",), budget=1, trials=20, episodes=10, sampler=sampler)
    order, make = [], samplers.make

    class Spy:
        def __init__(self, *given):
            self.own = make(*given)

        def ask(self, number):
            order.append(number)
            return self.own.ask(number)

        def tell(self, number, means, pruned):
            order.append(-number)
            self.own.tell(number, means, pruned)

    monkeypatch.setattr(samplers, "make", Spy)
    found = search(study, Space("constant", envs.parse("trap"), 1.0), Journal(1), lambda *seen: None)
    assert [trial.number for trial in found] == list(range(21))
    assert found[0].setting.planner == "constant"
    assert not any(trial.pruned for trial in found[: BATCH + 1])
    assert any(trial.pruned for trial in found[BATCH + 1 :])
    batches = (range(1, 9), range(9, 17), range(17, 21))
    assert order == [sign * number for batch in batches for sign in (1, -1) for number in batch]


def test_more_trials_go_on_where_fewer_stopped(tunable):
    space = Space("constant", envs.parse("trap"), 1.0)
    fewer = search(
        TuningStudy("trap", ("constant",), budget=1, trials=11, episodes=5), space, Journal(1), lambda *seen: None
    )
    more = search(
        TuningStudy("trap", ("constant",), budget=1, trials=20, episodes=5), space, Journal(1), lambda *seen: None
    )
    assert [(one.setting, one.means) for one in fewer] == [(one.setting, one.means) for one in more[:12]]
