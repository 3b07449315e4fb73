"""Hill car as a Gymnasium environment."""

from typing import Any

from bonspiel.envs.base import NamedEnv
from bonspiel.envs.classic.hill_car.model import HillCar


class HillCarEnv(NamedEnv):
    """A car on a hill that is too steep for its engine: it has to take a run-up, but must not get too fast.

    The Hill Car MDP of Lev-Yehudi, Novitsky, Barenboim, Benchetrit and Indelman (IJCAI 2026, arXiv 2503.12181), on
    the hill of Moore and Atkeson (1995). Its figures and this package's stand in docs/results/published.md. State,
    action, rewards and arguments are those of `envs.HillCar`; formulas and optimum are in docs/problems.md.
    """

    metadata: dict[str, Any] = NamedEnv.metadata | {"render_fps": 10}

    model: HillCar
    model_class = HillCar
