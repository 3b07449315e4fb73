"""The study of do-mpc plans in the models' equations; skipped without do-mpc."""

import numpy as np
import pytest

from bonspiel import envs

casadi = pytest.importorskip("casadi")
pytest.importorskip("do_mpc")


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("pendulum", {}), ("pendulum", {"mass": 1.3, "length": 0.8}), ("double_integrator", {"noise": 0.0})],
)
def test_the_equations_are_those_of_the_model(name, parameters):
    from docs.studies import mpc

    model, rng, following = envs.make_model(name, **parameters), np.random.default_rng(0), np.empty(3)
    state, action = casadi.SX.sym("x", 2), casadi.SX.sym("u")
    equations = casadi.Function("step", [state, action], [*mpc.PROBLEMS[name](state, action, model)])
    for _ in range(100):
        given, chosen = rng.uniform([-9.0, -8.0, 0.0], [9.0, 8.0, 0.0]), rng.uniform(-2.0, 2.0, 1)
        reward, _ = model.step(given, chosen, following, model.params, rng)
        after, cost = equations(given[:2], chosen)
        np.testing.assert_allclose(after.full().ravel(), following[:2], rtol=1e-9)
        assert -float(cost) == pytest.approx(reward)


def test_it_prints_a_table(capsys):
    from docs.studies import mpc

    mpc.main(["double_integrator", "--episodes", "2", "--budget", "20", "--planner", "icem:memory=1"])
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| double_integrator")]
    returns = [float(row.split("|")[3].split()[0]) for row in rows]
    assert len(returns) == 2 and min(returns) > -25.0
