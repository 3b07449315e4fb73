"""Tunes planners by random search (Bergstra and Bengio 2012), with the same effort for every planner.

All trials meet the same draws of the environment. The best of many noisy means is too good to be true, so the best few
are played again on fresh draws, with more episodes, and the winner is chosen by those alone.
"""

import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np

import planners
from planners import Rng
from planners.registry import unknown
from runs.experiment import Entrant, Experiment, RunError, Setting, UsageError, number
from runs.progress import progress
from runs.runner import parallel
from runs.runner.episode import Failure, planner_rng
from runs.statistics.curves import Panel, caption, references, table
from runs.statistics.sample import Summary, summarise
from runs.suite import Suite, parse_text

FINALISTS = 4
FINAL_EPISODES = 8  # times as many as in a trial


@dataclass(frozen=True)
class Uniform:
    """A number between two bounds, or one whose logarithm is uniform, with two significant digits."""

    low: float
    high: float
    log: bool = False

    def draw(self, rng: Rng) -> str:
        """A value as it is written in a planner's text."""
        if self.log:
            return f"{self.low * (self.high / self.low) ** rng.random():.2g}"
        return f"{self.low + (self.high - self.low) * rng.random():.2g}"


@dataclass(frozen=True)
class Choice:
    """One of some values, each with equal probability."""

    values: tuple[str, ...]

    def draw(self, rng: Rng) -> str:
        """A value as it is written in a planner's text."""
        return self.values[int(rng.random() * len(self.values))]


EXPLORATION = {"exploration": Uniform(0.03, 3.0, log=True)}
N_ACTIONS = {"n_actions": Choice(("4", "8", "16"))}
LEAF = {"leaf": Choice(("tree", "rollout"))}
WIDENING = {"alpha_action": Uniform(0.2, 0.6), "k_action": Uniform(0.5, 4.0, log=True)}
SPACES: dict[str, dict[str, Uniform | Choice]] = {
    "uct": {**EXPLORATION, **N_ACTIONS, **LEAF},
    "pw": {**EXPLORATION, **WIDENING, **LEAF},
    "dpw": {
        **EXPLORATION,
        **WIDENING,
        "alpha_state": Uniform(0.1, 0.5),
        "k_state": Uniform(0.5, 4.0, log=True),
        "outcome": Choice(("proportional", "least_visited")),
        **LEAF,
    },
    "weighted_uct": {**EXPLORATION, **N_ACTIONS, "bandwidth": Uniform(0.05, 1.5, log=True)},
    "abstraction": {
        **EXPLORATION,
        **N_ACTIONS,
        "threshold": Uniform(1.0, 64.0, log=True),
        "threshold_base": Uniform(1.1, 3.0),
        "weight_power": Uniform(0.0, 4.0),
    },
    "kr_uct": {
        **EXPLORATION,
        "alpha_action": Uniform(0.2, 0.7),
        "k_action": Uniform(0.5, 4.0, log=True),
        "bandwidth": Uniform(0.01, 0.3, log=True),
        "tau": Uniform(0.01, 0.5, log=True),
    },
}


def candidates(start: str, trials: int, rng: Rng) -> list[str]:
    """Planner texts to try, each once: the one to start from, and draws from the space of what it leaves open.

    Raises:
        UsageError: the planner is unknown, has no space, or leaves nothing open.
    """
    parse_text(planners.parse, start)
    written, colon, fixed = start.partition(":")
    name = planners.REGISTRY.aliases.get(written, written)
    if name not in SPACES:
        raise UsageError(str(unknown("planner to tune", name, SPACES)))
    given = {item.partition("=")[0] for item in fixed.split(",")}
    space = {key: values for key, values in SPACES[name].items() if key not in given}
    if not space:
        raise UsageError(f"{start!r} leaves nothing to tune; leave out one of {', '.join(SPACES[name])}")
    texts = [start]
    for _ in range(trials):
        drawn = ",".join(f"{key}={values.draw(rng)}" for key, values in space.items())
        texts.append(f"{start},{drawn}" if colon else f"{start}:{drawn}")
    return list(dict.fromkeys(texts))


def play(settings: Sequence[Setting], episodes: range, jobs: int) -> dict[str, Summary]:
    """Summaries by planner text, the best mean first.

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
    summaries = {
        setting.planner: summarise([total for _, total in sorted(found.items())], planner_rng(setting, 0))
        for setting, found in totals.items()
    }
    return dict(sorted(summaries.items(), key=lambda item: -item[1].mean))


def main(env: str, known: Sequence[str], trials: int, budget: int, episodes: int, seed: int, jobs: int) -> int:
    """Tune a planner in an environment and print the tables of both rounds, and the winner's text.

    Args:
        env: NAME[:key=value,...].
        known: planners that take part in both rounds as they are; parameters that the first one leaves open are tuned.
        trials: how many draws to try besides.
        budget: simulations a decision.
        episodes: of each trial; the best few are played for FINAL_EPISODES times as many.
        seed: root of all randomness; the suites that come with the package use 0.
        jobs: worker processes.

    Raises:
        UsageError: something unknown or out of range.
        RunError: an episode failed.
    """
    trials = number("trials", trials, 1, 1e6, whole=True)
    rng = np.random.default_rng(number("seed", seed, 0, 2**32 - 1, whole=True))
    texts = list(dict.fromkeys([*candidates(known[0], trials, rng), *known]))
    experiment = Experiment(env, tuple(map(Entrant, texts)), (budget,), episodes=episodes, seed=seed)
    suite = Suite("tune", (experiment,))
    suite.resolve()
    settings = {setting.planner: setting for setting in suite.settings()}
    print(f"{known[0]} in {env}: {len(texts)} candidates, {episodes} episodes each", file=sys.stderr)
    first = play(list(settings.values()), range(episodes), jobs)
    show("first round", env, budget, first)
    finalists = dict.fromkeys([*list(first)[:FINALISTS], *known])
    fresh = range(episodes, (1 + FINAL_EPISODES) * episodes)
    final = play([settings[text] for text in finalists], fresh, jobs)
    show("final round, fresh draws", env, budget, final)
    print(f"winner\n{next(iter(final))}")
    return 0


def show(title: str, env: str, budget: float, summaries: dict[str, Summary]) -> None:
    """Print a round's table."""
    curves = {text: [(budget, summary)] for text, summary in summaries.items()}
    panel = Panel(env, "simulations", curves, *references(env))
    print(f"{title}\n{table(panel)}\n{caption(panel)}\n", flush=True)
