"""What is tuned of each planner."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Uniform:
    """A number between two bounds, uniform or with a uniform logarithm, in two significant digits."""

    low: float
    high: float
    log: bool = False


@dataclass(frozen=True)
class Choice:
    """One of some values, each with equal probability."""

    values: tuple[str, ...]


EXPLORATION = {"exploration": Uniform(0.03, 3.0, log=True)}
N_ACTIONS = {"n_actions": Choice(("4", "8", "16"))}
LEAF = {"leaf": Choice(("tree", "rollout"))}
WIDENING = {"alpha_action": Uniform(0.2, 0.6), "k_action": Uniform(0.5, 4.0, log=True)}
STATES = {"alpha_state": Uniform(0.1, 0.5), "k_state": Uniform(0.5, 4.0, log=True)}
OUTCOMES: dict[str, Uniform | Choice] = {**STATES, "outcome": Choice(("proportional", "least_visited"))}
HALVES: dict[str, Uniform | Choice] = {
    "nu": Uniform(0.1, 4.0, log=True),
    "rho": Uniform(0.2, 0.9),
    "cell_depth": Choice(("2", "3", "4", "5")),
}
ABSTRACTION = {"threshold": Uniform(1.0, 64.0, log=True), "threshold_base": Uniform(1.1, 3.0)}
KERNEL = {"bandwidth": Uniform(0.01, 0.3, log=True), "tau": Uniform(0.01, 0.5, log=True)}
SEQUENCES: dict[str, Uniform | Choice] = {"horizon": Choice(("10", "20", "30", "50")), "repeats": Choice(("1", "3"))}
GAUSSIANS: dict[str, Uniform | Choice] = {
    **SEQUENCES,
    "population": Choice(("50", "100", "200", "400")),
    "sd": Uniform(0.1, 1.0, log=True),
}
COLOUR = {"beta": Uniform(0.0, 4.0)}
SPACES: dict[str, dict[str, Uniform | Choice]] = {
    "uct": {**EXPLORATION, **N_ACTIONS, **LEAF},
    "pw": {**EXPLORATION, **WIDENING, **LEAF},
    "dpw": {**EXPLORATION, **WIDENING, **OUTCOMES, **LEAF},
    "voot": {**EXPLORATION, **WIDENING, **STATES, **LEAF, "omega": Uniform(0.1, 0.9)},
    "hoot": {**EXPLORATION, **HALVES},
    "poly_hoot": {**EXPLORATION, **HALVES, "growth": Uniform(0.1, 0.45)},
    "cmcgs": {
        "samples": Choice(("10", "25", "50")),
        "elite_ratio": Uniform(0.05, 0.4, log=True),
        "elite_probability": Uniform(0.0, 0.6),
        "elite_sd": Uniform(0.02, 0.2, log=True),
        "prior_scale": Uniform(0.1, 4.0, log=True),
        "final": Choice(("mean", "best")),
    },
    "weighted_uct": {**EXPLORATION, **N_ACTIONS, "bandwidth": Uniform(0.05, 1.5, log=True)},
    "abstraction": {**EXPLORATION, **N_ACTIONS, **ABSTRACTION, "weight_power": Uniform(0.0, 4.0)},
    "kr_uct": {**EXPLORATION, **WIDENING, "alpha_action": Uniform(0.2, 0.7), **KERNEL},
    "crave": {
        **EXPLORATION,
        **WIDENING,
        **LEAF,
        "equivalence": Uniform(1.0, 300.0, log=True),
        "bandwidth": Uniform(0.03, 1.0, log=True),
    },
    "sequential_halving": {**EXPLORATION, **N_ACTIONS, **LEAF, "n_root_actions": Choice(("8", "16", "32", "64"))},
    "open_loop": {**EXPLORATION, **WIDENING, **LEAF},
    "random_shooting": {**SEQUENCES, "hold": Choice(("1", "2", "4", "8"))},
    "cem": {**GAUSSIANS, **COLOUR, "elite_fraction": Uniform(0.05, 0.4, log=True)},
    "icem": {**GAUSSIANS, **COLOUR, "elites": Choice(("5", "10", "20"))},
    "mppi": {**GAUSSIANS, **COLOUR, "temperature": Uniform(0.03, 3.0, log=True)},
}
