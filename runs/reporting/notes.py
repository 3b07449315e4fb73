"""Warnings for readers of a run's results, a line each."""

from itertools import groupby
from operator import itemgetter
from typing import Any

from bonspiel.runs import seeding
from bonspiel.runs.experiment import WHOLE
from bonspiel.runs.progress import counted
from bonspiel.runs.results import seal
from bonspiel.runs.results.seal import Seal
from bonspiel.runs.results.store import Store
from bonspiel.runs.suite import REMARK

DIGEST = "digest of the results"
INVALID = "a reward or a state that is not finite, or an exception of the model; they count as the worst"


def notes(store: Store) -> list[str]:
    """A line if the file was changed, for each remark on an environment or on its seeding, and on invalid rollouts."""
    told = ((text, meaning.partition(REMARK)[2]) for text, meaning in store.resolved.items())
    remarks = [f"{text}: {remark}" for text, remark in told if remark]
    return [*changes(store), *seeding.notes(store.resolved), *remarks, *invalid_rollouts(store)]


def changes(store: Store) -> list[str]:
    """A line that says how the file was changed after the run was complete; none if it was not."""
    change = seal.broken(store)
    return [f"this run is not to be trusted: {change}; restore {store.folder}, or see `bonspiel verify`"] * bool(change)


def facts(store: Store) -> dict[str, Any]:
    """The provenance of a run as reports show it: seed, part and digest of the results too."""
    seeds = sorted({experiment.seed for experiment in store.suite.experiment})
    kept = Seal.kept(store)
    digest = kept.results if kept else f"{Seal.of(store).results} (of now: the run carries none, unfinished or older)"
    own = {"seed": ", ".join(map(str, seeds)), **({} if store.part == WHOLE else {"part": store.part})}
    return {**own, DIGEST: digest, **store.provenance}


def failed(store: Store) -> list[str]:
    """A line for each planner and problem of which episodes failed, as means are over the others."""
    return [
        f"{counted(len([*alike]), 'episode')} of {planner} in {env} failed; means are over the others."
        for (env, planner), alike in groupby(sorted(store.failures()), itemgetter(0, 1))
    ]


def invalid_rollouts(store: Store) -> list[str]:
    """A line that says how many rollouts of each planner in each environment were invalid; none if none was."""
    counts: dict[str, int] = {}
    total = 0
    for setting, (invalid, simulations) in store.invalid().items():
        place = f"{setting.planner} in {setting.env}"
        counts[place], total = counts.get(place, 0) + invalid, total + simulations
    if not counts:
        return []
    shown = "; ".join(f"{count:,} of {place}" for place, count in counts.items())
    return [f"{sum(counts.values()):,} of {total:,} rollouts were invalid ({INVALID}): {shown}"]
