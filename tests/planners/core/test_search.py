import math
from types import SimpleNamespace

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.abstraction.fixed import episode
from bonspiel.planners.abstraction.per_state import resumable
from bonspiel.planners.core import search
from bonspiel.planners.testing import Walk
from bonspiel.planners.trees import sequential_halving
from tests.planners.tiny_models import Duel, Target

DUEL, TARGET = "tests.planners.tiny_models:Duel", f"{__name__}:TargetWithSet"


class TargetWithSet(Target):
    """With actions of its own in a state."""

    max_actions, actions = Duel.max_actions, staticmethod(Duel.actions)


@pytest.mark.parametrize(
    ("held", "done", "spent", "factor"),
    [
        (0, 4096, 0.1, 12.5),  # room for ten times as many, and a quarter more
        (0, 4096, 1e-9, search.LARGEST_GROWTH),
        (0, 0, 0.1, 12.5),  # the first simulation found no room
        (4096, 4096, 0.1, 1.25 * 5.5),  # 4,096 from before, 40,960 in all of this search
        (100_000, 1, 0.001, 2.0),  # what this search will add is little beside what is there
        (100_000, 0, 0.001, 2.0),
        (0, 4096, 0.99, 2.0),
    ],
)
def test_a_tree_grows_by_what_the_search_will_add(held, done, spent, factor):
    assert search._growth(held, done, spent) == pytest.approx(factor)


@pytest.mark.parametrize(
    ("module", "planner", "environment", "decisions", "expected"),
    [
        (sequential_halving, "sequential_halving:n_root_actions=4", "trap", 1, [0, 60]),
        (episode, "scaled_abstraction:memory=1", "trap", 3, [0, 120, 240]),
        (episode, "scaled_abstraction", "trap", 3, [0, 0, 0]),
        (resumable, "presearch:inner=(abstraction:tree_steps=1),size=40", TARGET, 1, [0, 60]),
    ],
)
def test_a_search_that_is_continued_knows_what_its_tree_holds(
    module, planner, environment, decisions, expected, monkeypatch
):
    """Else its first simulations would seem to have filled the tree: once one was to grow to 39 GB."""
    held, extend = [], search.extend

    def recording(*args, earlier=0, **kwargs):
        held.append(earlier)
        kwargs["earlier"] = earlier
        return extend(*args, **kwargs)

    monkeypatch.setattr(module, "extend", recording)
    model, rng = envs.parse(environment), np.random.default_rng(0)
    episode, state = planners.begin_episode(planners.parse(planner), model), model.initial_state(rng)
    for _ in range(decisions):
        episode.plan(state, Budget(120), rng)
    assert held == expected


@pytest.mark.parametrize(("held", "expected"), [(0, 2.5), (1_000_000, 2.0)])
def test_room_is_made_for_what_a_continued_search_will_add(held, expected, monkeypatch):
    """A fake kernel that finds no room after half of its budget."""
    did, factors = iter([50, 0, 50]), []
    monkeypatch.setattr(search, "runner", lambda *given: lambda *given: next(did))
    search.extend(
        None,
        0,
        0,
        None,
        model=None,
        settings=0,
        budget=Budget(100),
        rng=None,
        grow=lambda *given: factors.append(given[2]),
        earlier=held,
    )
    assert factors == [expected]


@pytest.mark.parametrize(
    ("returned", "budget"), [(0, Budget(9)), (-1, Budget(9)), (11, Budget(9)), (0, Budget(seconds=9.0))]
)
def test_a_kernel_that_returns_no_number_of_simulations_is_refused(returned, budget, monkeypatch):
    grown, problem = [], SimpleNamespace(steps=50, validity=np.zeros(1))
    monkeypatch.setattr(search, "runner", lambda *given: lambda *given: returned)
    given = {"settings": 0, "rng": None, "grow": lambda *given: grown.append(1)}
    with pytest.raises(ValueError, match=f"what the kernel returned={returned}: must be the number of simulations"):
        search.extend(None, 0, 0, problem, model=SimpleNamespace(compiled=True), budget=budget, **given)
    assert len(grown) <= search.MOST_IN_VAIN


@pytest.mark.parametrize(("rate", "copies"), [(1e12, 2), (1.0, 1)])
def test_a_tree_is_not_copied_again_where_no_time_is_left_for_it(rate, copies, monkeypatch):
    """A fake kernel that finds no room after its first and after its third simulation."""
    did, grown = iter([1, 0, 1, 0]), []
    monkeypatch.setattr(search, "runner", lambda *given: lambda *given: next(did, 1))
    monkeypatch.setattr(search, "COPIED", rate)

    def grow(tree, walk, factor):
        grown.append(factor)
        return tree

    _, done = search.extend(
        None,
        (np.zeros(100), (np.zeros(100), 0)),
        0,
        None,
        model=SimpleNamespace(compiled=False),
        settings=0,
        budget=Budget(seconds=0.5),
        rng=None,
        grow=grow,
    )
    assert len(grown) == copies and (done == 2) == (copies == 1)


@pytest.mark.parametrize(
    ("planner", "environment"),
    [
        ("uct", "trap"),
        ("pw", "trap"),
        ("dpw", "trap"),
        ("abstraction", DUEL),
        ("presearch", TARGET),
        ("presearch:inner=uct", TARGET),
    ],
)
def test_reports_of_progress_change_no_decision(planner, environment):
    model, seen = envs.parse(environment), []
    start = model.initial_state(np.random.default_rng(0))
    chosen = planners.parse(planner)

    def report(decision):
        seen.append((decision.action.tolist(), decision.value, decision.simulations))
        return False

    def decide():
        return chosen.plan(model, start, Budget(2_500), np.random.default_rng(1))

    before = decide()
    with search.progress_to(report):
        during = decide()
    assert seen
    after = decide()
    for name in ("action", "value", "simulations", "actions", "visits", "values"):
        np.testing.assert_array_equal(getattr(before, name), getattr(during, name))
        np.testing.assert_array_equal(getattr(before, name), getattr(after, name))
    counts = [simulations for _, _, simulations in seen]
    assert counts == sorted(counts) and 0 < counts[-1] < 2_500
    assert all(action in during.actions.tolist() for action, _, _ in seen)
    assert np.isfinite([value for _, value, _ in seen]).all()


def test_the_last_report_is_all_but_the_decision(ticking):
    planner, model, seen = planners.make("uct"), envs.make_model("trap"), []
    planner.plan(model, np.zeros(2), Budget(1), np.random.default_rng(0))  # loads compiled code
    ticking(0.0004)
    with search.progress_to(seen.append):
        decision = planner.plan(model, np.zeros(2), Budget(seconds=0.2), np.random.default_rng(0))
    last = seen[-1]
    assert len(seen) > 5 and last.action in decision.actions
    assert 0.7 * decision.simulations < last.simulations <= decision.simulations
    assert abs(last.value - decision.value) < 0.1 * abs(decision.value) + 0.01


@pytest.mark.parametrize(
    ("planner", "environment", "budget"),
    [("uct", "trap", Budget(seconds=60.0)), ("presearch", TARGET, Budget(1_000_000))],
)
def test_a_report_can_end_the_search(planner, environment, budget):
    seen, model = [], envs.parse(environment)

    def third(decision):
        seen.append((decision.action.tolist(), decision.value, decision.simulations))
        return len(seen) == 3

    state, rng = model.initial_state(np.random.default_rng(0)), np.random.default_rng(0)
    planners.parse(planner).plan(model, state, Budget(seconds=0.02), rng)
    with search.progress_to(third):
        decision = planners.parse(planner).plan(model, state, budget, rng)
    assert len(seen) == 3 and decision.seconds < 50.0 and decision.simulations < (budget.simulations or math.inf)
    assert (decision.action.tolist(), decision.value) == seen[-1][:2] and decision.simulations >= seen[-1][2]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("discount", np.nan, "discount=nan: must be from 0 to 1"),
        ("discount", 1.5, "discount=1.5: must be from 0 to 1"),
        ("horizon", 10**9, "steps of a plan=1000000000: must be at most 10,000,000: give the planner a lookahead"),
    ],
)
def test_a_discount_or_a_length_that_no_search_can_have_is_named(name, value, words):
    model = type("Wrong", (Walk,), {name: value})()
    for planner in ("uct", "adaptive", "cem:lookahead=none", "random_shooting:lookahead=none"):
        with pytest.raises(ValueError, match=words):
            planners.parse(planner).plan(model, np.zeros(2), Budget(5), np.random.default_rng(0))
