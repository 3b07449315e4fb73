import pytest

from docs.studies import leaderboard as study


@pytest.mark.parametrize("problem", [study.ShiftedTrap, study.ShiftedDonut])
def test_a_constant_in_every_reward_changes_no_decision_of_uct(problem):
    returns = {
        constant: study.episode(problem(constant=constant), "uct", number=3, simulations=20)
        for constant in study.CONSTANTS
    }
    assert returns[10.0] == pytest.approx(returns[0.0]) == pytest.approx(returns[-10.0])
    model = problem(constant=10.0)
    assert problem.rollout(model.initial_state(study.np.random.default_rng(0)), *rollout_arguments(model)) > 10.0


def rollout_arguments(model):
    return study.np.empty(model.state_dim), model.horizon, model.params, study.np.random.default_rng(0)


def test_a_row_has_both_problems_with_each_constant(monkeypatch):
    monkeypatch.setattr(study, "NAMES", ("uct",))
    (cells,) = study.rows(2, 5).values()
    assert len(cells) == 2 * len(study.CONSTANTS)
