"""Samplers choose the values of trials: TPE of Optuna where it is installed (extra `tune`), or random search.

A trial's draws come from a generator of its own, named by study and trial. Trials are asked for in batches of a fixed
size, and their results are reported when the whole batch has ended: so the next values depend neither on the number of
workers nor on interruptions.
"""

import importlib.util
from collections.abc import Sequence
from typing import Any, Protocol

from bonspiel.planners import Rng
from bonspiel.planners.spaces import Choice, Range
from bonspiel.runs.draws import named_rng
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.tuning.space import Space, Values
from bonspiel.runs.tuning.study import TuningStudy

BATCH = 8  # trials


class Sampler(Protocol):
    """Chooses the values of trials."""

    def ask(self, number: int) -> Values:
        """The values of a trial; numbers count from 1, each is asked for once, in order."""

    def tell(self, number: int, means: Sequence[float], pruned: bool) -> None:
        """Learn the result of a trial: its mean returns after each step, the last over all of its episodes."""


def make(study: TuningStudy, space: Space) -> Sampler:
    """The sampler that a study asks for."""
    installed = importlib.util.find_spec("optuna") is not None
    if study.sampler == "tpe" and not installed:
        raise UsageError("sampler=tpe: needs Optuna, `pip install -e '.[tune]'`; or choose sampler random")
    return TPE(study, space) if installed and study.sampler != "random" else RandomSearch(study, space)


def trial_rng(study: TuningStudy, space: Space, number: int) -> Rng:
    """The draws of one trial."""
    return named_rng(f"tune|{study.env}|{space.start}|{study.budget}", study.seed, number)


class RandomSearch:
    """Random search (Bergstra and Bengio 2012): every trial is drawn from the whole space."""

    def __init__(self, study: TuningStudy, space: Space) -> None:
        self._study, self._space = study, space

    def ask(self, number: int) -> Values:
        """The values of a trial."""
        rng = trial_rng(self._study, self._space, number)
        return {key: draw(values, rng) for key, values in self._space.parameters.items()}

    def tell(self, number: int, means: Sequence[float], pruned: bool) -> None:
        """Nothing is learned from a trial."""


def draw(values: Range | Choice, rng: Rng) -> object:
    """A value, each with equal probability; with a logarithmic range, the same for its logarithm."""
    share = rng.random()
    if isinstance(values, Choice):
        return values.values[int(share * len(values.values))]
    if values.log:
        return float(values.low * (values.high / values.low) ** share)
    return values.low + (values.high - values.low) * share


class TPE:
    """The tree-structured Parzen estimator (Bergstra et al. 2011) of Optuna, after a first batch at random.

    Trials of the same batch count as bad ones while they run, so that they keep away from each other.
    """

    def __init__(self, study: TuningStudy, space: Space) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._study, self._space = study, space
        self._search = optuna.create_study(direction="maximize")
        self._asked: dict[int, optuna.Trial] = {}
        self._distributions: dict[str, optuna.distributions.BaseDistribution] = {
            key: optuna.distributions.CategoricalDistribution(values.values)
            if isinstance(values, Choice)
            else optuna.distributions.FloatDistribution(values.low, values.high, log=values.log)
            for key, values in space.parameters.items()
        }

    def ask(self, number: int) -> Values:
        """The values of a trial."""
        from optuna.samplers import TPESampler

        seed = int(trial_rng(self._study, self._space, number).integers(2**32))
        self._search.sampler = TPESampler(seed=seed, n_startup_trials=BATCH, multivariate=True, constant_liar=True)
        trial = self._asked[number] = self._search.ask(self._distributions)
        return {key: trial.params[key] for key in self._space.parameters}

    def tell(self, number: int, means: Sequence[float], pruned: bool) -> None:
        """Learn from a trial; a pruned one is worse than all that were not, and than those pruned later."""
        from optuna.trial import TrialState

        trial = self._asked.pop(number)
        for step, mean in enumerate(means):
            trial.report(mean, step)
        result: dict[str, Any] = {"state": TrialState.PRUNED} if pruned else {"values": means[-1]}
        self._search.tell(trial, **result)
