"""How far a run is, seen from outside while it goes on."""

import time
from dataclasses import asdict, dataclass
from typing import Any

from runs.experiment import Setting
from runs.files import in_use
from runs.part import WHOLE
from runs.progress import time_left
from runs.results.store import Count, Store
from runs.tables import markdown


@dataclass(frozen=True)
class Status:
    """How far a run is.

    Attributes:
        run: its folder.
        name: of its suite.
        part: the share of the suite's episodes that belongs there, such as "1/4"; "1/1" is all.
        done: episodes played.
        total: episodes in all.
        failed: episodes that failed; they are still to be played.
        running: whether a driver plays it now.
        rate: episodes a second since the driver began; None without one.
        seconds_left: until it is done, None without a driver or before the first episodes.
        points: how far each setting is.
    """

    run: str
    name: str
    part: str
    done: int
    total: int
    failed: int
    running: bool
    rate: float | None
    seconds_left: float | None
    points: dict[Setting, Count]

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        points = [{**setting._asdict(), **count._asdict()} for setting, count in self.points.items()]
        return {**asdict(self), "points": points}


def status(store: Store) -> Status:
    """Look at a run; what is to come is taken to cost what its setting has cost so far."""
    running = in_use(store.folder)
    points = store.counts()
    done = sum(count.done for count in points.values())
    rate = left = None
    if running and store.driver:
        elapsed = max(time.time() - store.driver["began"], 1e-3)
        rate = (done - store.driver["episodes"]) / elapsed
        worked = sum(count.seconds for count in points.values()) - store.driver["seconds"]
        ahead = sum((count.total - count.done) * count.seconds / count.done for count in points.values() if count.done)
        left = elapsed * ahead / worked if worked > 0.0 else None
    return Status(
        str(store.folder),
        store.suite.name,
        str(store.part),
        done,
        sum(count.total for count in points.values()),
        sum(count.failed for count in points.values()),
        running,
        rate,
        left,
        points,
    )


def text(found: Status) -> str:
    """For people: a line, and done/total in a table for each environment and unit of budget."""
    part = "" if found.part == str(WHOLE) else f", part {found.part}"
    facts = [f"{found.name}{part}: {found.done:,} of {found.total:,} episodes ({found.done / max(found.total, 1):.1%})"]
    if found.failed:
        facts.append(f"{found.failed:,} failed")
    if found.running:
        facts.append("running")
        facts += [f"{found.rate:,.3g} a second"] if found.rate else []
        facts += [time_left(found.seconds_left)] if found.seconds_left is not None else []
    else:
        facts.append("finished" if found.done == found.total else "not running; go on with `bonspiel run ... --resume`")
    groups: dict[tuple[str, str], list[Setting]] = {}
    for setting in found.points:
        groups.setdefault((setting.env, setting.unit), []).append(setting)
    tables = [f"{env}\n{_table(unit, settings, found.points)}" for (env, unit), settings in groups.items()]
    return "\n\n".join([", ".join(facts), *tables])


def _table(unit: str, settings: list[Setting], points: dict[Setting, Count]) -> str:
    budgets = sorted({setting.budget for setting in settings})
    cells: dict[str, dict[float, str]] = {}
    for setting in settings:
        cells.setdefault(setting.planner, {})[setting.budget] = _cell(points[setting])
    head = ["planner", *(f"{budget:g} {unit}" for budget in budgets)]
    return markdown([head, *([name, *(row.get(budget, "") for budget in budgets)] for name, row in cells.items())])


def _cell(count: Count) -> str:
    failed = f", {count.failed} failed" if count.failed else ""
    return f"all {count.total}" if count.done == count.total else f"{count.done}/{count.total}{failed}"
