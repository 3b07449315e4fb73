"""Warnings for readers of a run's results, a line each."""

from bonspiel.runs import seeding
from bonspiel.runs.results.store import Store

INVALID = "a reward or a state that is not finite, or an exception of the model; they count as the worst"


def notes(store: Store) -> list[str]:
    """A line for each environment that was played unseeded, and one if rollouts were invalid."""
    return [*seeding.notes(store.resolved), *invalid_rollouts(store)]


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
