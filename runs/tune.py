"""Tunes planners by random search (Bergstra and Bengio 2012), with the same effort for every planner.

All trials meet the same draws of the environment. The best of many noisy means is too good to be true, so the best few
are run again on fresh draws, with more episodes, and the best is chosen by those alone. It is called the winner only
if it is ahead of the next by the paired interval (`runs.statistics.paired`).
"""

import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np

import envs
import planners
from planners import Array, Model, Rng
from planners.registry import unknown
from runs.experiment import Entrant, Experiment, RunError, Setting, UsageError, number
from runs.progress import progress
from runs.runner import parallel
from runs.runner.episode import Failure, named_rng, planner_rng
from runs.statistics.compare import needed
from runs.statistics.curves import Panel, caption, references, table
from runs.statistics.paired import paired
from runs.statistics.sample import summarise
from runs.suite import Suite, parse_text
from runs.tables import estimate

FINALISTS = 4
FINAL_EPISODES = 8  # times as many as in a trial


@dataclass(frozen=True)
class Uniform:
    """A number between two bounds, uniform or with a uniform logarithm, in two significant digits."""

    low: float
    high: float
    log: bool = False

    def draw(self, rng: Rng) -> str:
        """A value, as written in a planner's text."""
        if self.log:
            return f"{self.low * (self.high / self.low) ** rng.random():.2g}"
        return f"{self.low + (self.high - self.low) * rng.random():.2g}"


@dataclass(frozen=True)
class Choice:
    """One of some values, each with equal probability."""

    values: tuple[str, ...]

    def draw(self, rng: Rng) -> str:
        """A value, as written in a planner's text."""
        return self.values[int(rng.random() * len(self.values))]


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
    "open_loop": {**EXPLORATION, **WIDENING, **LEAF},
    "random_shooting": {**SEQUENCES, "hold": Choice(("1", "2", "4", "8"))},
    "cem": {**GAUSSIANS, **COLOUR, "elite_fraction": Uniform(0.05, 0.4, log=True)},
    "icem": {**GAUSSIANS, **COLOUR, "elites": Choice(("5", "10", "20"))},
    "mppi": {**GAUSSIANS, **COLOUR, "temperature": Uniform(0.03, 3.0, log=True)},
}


def candidates(start: str, trials: int, rng: Rng, model: Model) -> list[str]:
    """Planner texts to try, each once: the one to start from, and draws of the parameters that it does not give.

    Values that the planner does not support on this model are not drawn, such as rollouts where it has none.

    Raises:
        UsageError: the planner is unknown, cannot search the model or has nothing to tune, or its text gives every
            parameter.
    """
    parse_text(planners.parse, start)
    if reason := planners.unsupported(planners.parse(start), model):
        raise UsageError(f"{start} cannot search {type(model).__name__}: {reason}")
    written, colon, fixed = start.partition(":")
    name = planners.REGISTRY.aliases.get(written, written)
    if name not in SPACES:
        raise UsageError(str(unknown("planner to tune", name, SPACES)))
    given = {item.partition("=")[0] for item in fixed.split(",")}
    space = {key: values for key, values in SPACES[name].items() if key not in given}
    if not space:
        raise UsageError(f"{start!r} leaves nothing to tune; leave out one of {', '.join(SPACES[name])}")
    before = start + ("," if colon else ":")
    for key, values in space.items():
        if isinstance(values, Choice):
            able = [v for v in values.values if not planners.unsupported(planners.parse(f"{before}{key}={v}"), model)]
            space[key] = Choice(tuple(able) or values.values)
    draws = (",".join(f"{key}={values.draw(rng)}" for key, values in space.items()) for _ in range(trials))
    return list(dict.fromkeys([start, *(before + drawn for drawn in draws)]))


def play(settings: Sequence[Setting], episodes: range, jobs: int) -> dict[Setting, Array]:
    """The returns of each setting, in order of the episodes, [n]; the best mean first.

    Raises:
        RunError: an episode failed.
    """
    schedule = parallel.Schedule(dict.fromkeys(settings, episodes), jobs)
    totals: dict[Setting, dict[int, float]] = {setting: {} for setting in settings}
    with progress(len(settings) * len(episodes)) as advance, closing(parallel.run(schedule)) as batches:
        for batch in batches:
            for result in batch.results:
                if isinstance(result, Failure):
                    raise RunError(f"{batch.setting.planner}, episode {result.number}: {result.error}")
                totals[batch.setting][result.number] = result.total
            advance(len(batch.results), schedule.remaining() / jobs)
    returns = {setting: np.array([found[number] for number in episodes]) for setting, found in totals.items()}
    return dict(sorted(returns.items(), key=lambda item: -item[1].mean()))


def main(env: str, known: Sequence[str], trials: int, budget: int, episodes: int, seed: int, jobs: int) -> int:
    """Tune a planner in an environment; print the tables of both rounds, the best text, and its lead on the next.

    Args:
        env: NAME[:key=value,...].
        known: planners that take part in both rounds as they are; of the first, the parameters not given are tuned.
        trials: number of further candidates to draw.
        budget: simulations per decision.
        episodes: of each trial; the best few are run for FINAL_EPISODES times as many.
        seed: random seed; the suites of this package use 0.
        jobs: worker processes.

    Raises:
        UsageError: something unknown or out of range.
        RunError: an episode failed.
    """
    trials = number("trials", trials, 1, 1e6, whole=True)
    rng = np.random.default_rng(number("seed", seed, 0, 2**32 - 1, whole=True))
    parse_text(envs.parse, env)
    texts = list(dict.fromkeys([*candidates(known[0], trials, rng, envs.parse(env)), *known]))
    experiment = Experiment(env, tuple(map(Entrant, texts)), (budget,), episodes=episodes, seed=seed)
    suite = Suite("tune", (experiment,))
    suite.resolve()
    settings = {setting.planner: setting for setting in suite.settings()}
    print(f"{known[0]} in {env}: {len(texts)} candidates, {episodes} episodes each", file=sys.stderr)
    first = play(list(settings.values()), range(episodes), jobs)
    show("first round", env, budget, first)
    finalists = dict.fromkeys([*(setting.planner for setting in list(first)[:FINALISTS]), *known])
    fresh = range(episodes, (1 + FINAL_EPISODES) * episodes)
    final = play([settings[text] for text in finalists], fresh, jobs)
    show("final round, fresh draws", env, budget, final)
    print(verdict(final))
    return 0


def verdict(final: dict[Setting, Array]) -> str:
    """The best of the final round, and its paired difference to the next; a winner only if that is settled."""
    (best, ours), *others = final.items()
    if not others:
        return f"winner\n{best.planner}"
    following, theirs = others[0]
    found = paired(ours, theirs, named_rng(f"tune|{best.planner}|{following.planner}", best.seed, len(ours)))
    title, open_ = "winner", ""
    if found.more > 0.0 or np.isnan(found.more):
        title = "no clear winner: the best is within noise of the next"
        open_ = f"; further episodes needed to settle it: {needed(found.more)}"
    return (
        f"{title}\n{best.planner}\n{estimate(found.difference)} ahead of {following.planner} "
        f"(mean difference over {found.n} episodes [95 %], p {found.p:.4f}{open_})"
    )


def show(title: str, env: str, budget: float, returns: dict[Setting, Array]) -> None:
    """Print a round's table."""
    summaries = ((setting, summarise(sample, planner_rng(setting, 0))) for setting, sample in returns.items())
    curves = {setting.planner: [(budget, summary)] for setting, summary in summaries}
    panel = Panel(env, "simulations", curves, *references(env))
    print(f"{title}\n{table(panel)}\n{caption(panel)}\n", flush=True)
