"""Memory of planners over Gaussians of sequences within an episode: known answers."""

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.sequences import icem
from bonspiel.planners.testing import Walk
from tests.planners.tiny_models import Chain

NAMES = ["cem", "icem", "mppi"]
ONE = Budget(simulations=1)  # rolls out the mean sequence alone, whose first action is played


def begun(name, model, simulations=200, **given):
    """The search of an episode after its first decision, and the mean sequence that this learned."""
    search = planners.begin_episode(planners.make(name, **given), model)
    search.plan(model.initial_state(None), Budget(simulations), np.random.default_rng(0))
    return search, search.last.gaussian.mean.copy()


def played(search, state):
    return search.plan(np.asarray(state, float), ONE, np.random.default_rng(0)).action.tolist()


@pytest.mark.parametrize("name", NAMES)
def test_the_next_decision_starts_at_the_mean_shifted_by_a_step(name):
    """Chain does not count steps, so that sequences stay as long, and the last action is repeated."""
    search, mean = begun(name, Chain(), memory=1.0)
    assert len(set(mean.ravel().tolist())) == 5
    assert [played(search, [k]) for k in range(1, 7)] == [*mean[1:].tolist(), *2 * mean[-1:].tolist()]


@pytest.mark.parametrize("name", NAMES)
def test_a_part_of_the_mean_is_remembered(name):
    """The middle of the range is 0.5, and half of a half of it is forgotten in two steps."""
    search, mean = begun(name, Chain(), memory=0.5)
    assert played(search, [1.0]) == pytest.approx(0.5 * mean[1] + 0.25)
    assert played(search, [2.0]) == pytest.approx(0.25 * mean[2] + 0.375)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("lookahead", [None, 50, 3])
def test_a_model_that_counts_steps_says_how_many_were_taken(name, lookahead):
    search, mean = begun(name, Walk(), memory=1.0, lookahead=lookahead)
    assert len(mean) == min(lookahead or 4, 4)
    assert played(search, [0.3, 2.0]) == mean[2].tolist()
    assert len(search.last.gaussian.mean) == 2
    assert played(search, [0.3, 3.0]) == mean[-1].tolist()
    with pytest.raises(ValueError, match=r"state=.*no earlier step.*begin another episode"):
        played(search, [0.3, 2.0])


@pytest.mark.parametrize("name", NAMES)
def test_an_episode_that_began_again_after_its_first_step_is_another(name):
    search, _ = begun(name, Walk(), memory=1.0)
    played(search, [0.3, 1.0])
    with pytest.raises(ValueError, match=r"state=.*no earlier step.*begin another episode"):
        played(search, [0.0, 0.0])


@pytest.mark.parametrize("name", NAMES)
def test_where_nobody_counts_the_steps_each_decision_is_one_later(name):
    """As `GymnasiumModel.observe` without its argument `steps`, which leaves the count at 0."""
    search, mean = begun(name, Walk(), memory=1.0)
    assert [played(search, [0.3 + 0.1 * k, 0.0]) for k in range(3)] == mean[1:].tolist()


@pytest.mark.parametrize("name", NAMES)
def test_the_deviation_starts_anew(name):
    search, _ = begun(name, Chain(), memory=1.0, sd=0.3)
    played(search, [0.0])
    assert (search.last.gaussian.sd == 0.3).all()


@pytest.mark.parametrize(("memory", "count"), [(1.0, 4), (0.5, 2)])
def test_icem_rolls_its_elites_out_again_after_a_step(memory, count, monkeypatch):
    """A first round of 24 sequences, elites among them, is what 100 simulations allow, 2 of them for the finalists."""
    search, _ = begun("icem", Chain(), memory=memory, elites=10, keep=0.4)
    elites, rounds = search.last.kept.copy(), noted(monkeypatch, icem._Rounds, "propose")
    search.plan(np.ones(1), Budget(100), np.random.default_rng(0))
    assert len(elites) == 4 and len(rounds[0]) == 24
    assert rounds[0][-count:, 0].tolist() == elites[:count, 1].tolist()
    assert rounds[0][-count - 1, 0] not in elites[:, 1]


def noted(monkeypatch, cls, name):
    """A list of what a method returns, filled as it is called."""
    results, original = [], getattr(cls, name)
    monkeypatch.setattr(cls, name, lambda self, *given: results.append(original(self, *given)) or results[-1])
    return results


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"population": 100, "elites": 20, "repeats": 3},
        {"population": 10, "elites": 20},
        {"elites": 200, "keep": 1.0, "decay": 1.0},
        {"population": 2, "elites": 2, "keep": 1.0},
        {"repeats": 10, "elites": 5, "keep": 1.0, "memory": 1.0},
    ],
)
@pytest.mark.parametrize("simulations", [5, 30, 100, 400])
def test_few_simulations_move_the_gaussian_of_icem_in_four_rounds_or_in_rounds_of_four(given, simulations, monkeypatch):
    """Two of the sequences are the finalists."""
    sequences = simulations / given.get("repeats", 1)
    search, means = planners.begin_episode(planners.make("icem", **given), envs.TreasureHunt()), []
    move = icem._Rounds.move
    monkeypatch.setattr(
        icem._Rounds, "move", lambda rounds, *found: move(rounds, *found) or means.append(rounds.gaussian.mean.copy())
    )
    for t in range(2):  # the second decision may start from what the first has learned
        means.clear()
        search.plan(np.array([0.0, 0.0, t]), Budget(simulations), np.random.default_rng(0))
        assert len(means) >= min(4, (sequences - 2) // 4)
        assert len(np.unique(means, axis=0)) == len(means)
