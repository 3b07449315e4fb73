"""Model steps per simulation of the settings of a run, for its report."""

import hashlib
import math
from collections.abc import Iterator, Mapping

from bonspiel import envs, planners
from bonspiel.planners.core.code.packages import origin
from bonspiel.runs.counting import Steps, count
from bonspiel.runs.experiment import Setting
from bonspiel.runs.plants import PlantText
from bonspiel.runs.progress import followed
from bonspiel.runs.results.store import Effort, Store
from bonspiel.runs.suite import modules

LONGEST = 0.02  # s; dearer decisions are not made again for a report
PATIENCE = 10  # times as long ones are for a leaderboard, which leaves out planners that cannot be counted
LARGEST = 1_000  # simulations


def of_run(store: Store) -> Iterator[tuple[str, str, Steps | None]]:
    """(environment, planner, steps) of a run: with the largest budget of at most 1,000 whose decisions are cheap."""
    for (env, planner), settings in _countable(store.efforts(), LONGEST).items():
        yield env, planner, _counted(settings[-1]) if settings else None


def of_settings(
    efforts: Mapping[Setting, Effort], shipped: Mapping[str, float | None] | None = None
) -> dict[Setting, float]:
    """Model steps per simulation of every setting of a run: counted where its decisions are cheap.

    Other settings have the number of the planner's largest budget that was counted, and NaN if there is none.
    """
    found: dict[Setting, float] = {}
    largest: dict[tuple[str, str], float] = {}
    for setting, steps in _counts(efforts, shipped or {}).items():
        if steps is not None:
            found[setting] = largest[setting.env, setting.planner] = steps
    return {one: found.get(one, largest.get((one.env, one.planner), math.nan)) for one in efforts}


def by_key(store: Store) -> dict[str, float | None]:
    """The counts of a run that `of_settings` needs, None where there is none, to be kept with the run."""
    counts = _counts(store.efforts(), store.model_steps)
    return {digest: steps for setting, steps in counts.items() if (digest := _key(setting))}


def _key(setting: Setting) -> str | None:
    """A digest of what a count depends on: the problem and the planner with all parameters, the budget and the seed.

    Modules of other packages count with their sources. None where problem or planner are of another version.
    """
    try:
        model, own = envs.parse(PlantText.of(setting.env).model), map(origin, modules([setting]))
        parts = model, planners.parse(setting.planner), *own
    except Exception:
        return None
    return hashlib.blake2b(repr((*parts, setting.budget, setting.seed)).encode(), digest_size=8).hexdigest()


def _counts(efforts: Mapping[Setting, Effort], shipped: Mapping[str, float | None]) -> dict[Setting, float | None]:
    """The count of each setting whose decisions are cheap, a planner's largest budget last."""
    countable = [one for settings in _countable(efforts, PATIENCE * LONGEST).values() for one in settings]
    keys = {one: digest for one in countable if (digest := _key(one))}
    found = {one: shipped[digest] for one, digest in keys.items() if digest in shipped}
    for setting in followed([one for one in countable if one not in found], "settings counted"):
        counted_here = _counted(setting)
        found[setting] = counted_here and counted_here.per_simulation
    return {one: found[one] for one in countable}


def _countable(efforts: Mapping[Setting, Effort], longest: float) -> dict[tuple[str, str], list[Setting]]:
    """The settings with decisions of at most `longest` seconds, by environment and planner, smallest budget first."""
    found: dict[tuple[str, str], list[Setting]] = {(setting.env, setting.planner): [] for setting in efforts}
    for setting in sorted(efforts, key=lambda setting: setting.budget):
        quick = efforts[setting].seconds <= longest * efforts[setting].steps
        if setting.unit == "simulations" and setting.budget <= LARGEST and quick:
            found[setting.env, setting.planner].append(setting)
    return found


def _counted(setting: Setting) -> Steps | None:
    try:
        found = count(envs.parse(PlantText.of(setting.env).model), planners.parse(setting.planner), setting)
        return found if found is not None and found.simulations > 0 else None
    except Exception:  # of another version, or a planner that failed in the run as well
        return None
