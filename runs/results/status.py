"""Progress of a finished or running run."""

import textwrap
import time
from dataclasses import asdict, dataclass
from typing import Any

from bonspiel.runs.experiment import WHOLE, Setting
from bonspiel.runs.files import in_use
from bonspiel.runs.progress import time_left
from bonspiel.runs.results.store import Count, Store
from bonspiel.runs.suite import Suite
from bonspiel.runs.tables import by_setting


@dataclass(frozen=True)
class Status:
    """Progress of a run."""

    run: str  # its folder
    name: str  # of the suite
    part: str  # the folder's share of the suite's episodes, such as "1/4"; "1/1" is all
    done: int  # number of finished episodes
    total: int  # number of episodes
    failed: int  # number of failed episodes, which `--resume` tries again
    running: bool  # whether a driver is at work
    rate: float | None  # episodes per second since the driver began; None without one
    seconds_left: float | None  # expected time to the end; None without a driver or before the first episodes
    points: dict[Setting, Count]  # progress of each setting

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        points = [{**setting._asdict(), **count._asdict()} for setting, count in self.points.items()]
        return {**asdict(self), "points": points}


def status(store: Store) -> Status:
    """Read the progress of a run; further episodes are expected to take as long as those of their setting so far."""
    running = in_use(store.folder)
    points = store.counts()
    done, seconds, failed, total = Count.of(points)
    rate = left = None
    if running and store.driver:
        elapsed = max(time.time() - store.driver["began"], 1e-3)
        rate = (done - store.driver["episodes"]) / elapsed
        worked = seconds - store.driver["seconds"]
        ahead = sum((count.total - count.done) * count.seconds / count.done for count in points.values() if count.done)
        left = elapsed * ahead / worked if worked > 0.0 else None
    run, name, part = str(store.folder), store.suite.name, str(store.part)
    return Status(run, name, part, done, total, failed, running, rate, left, points)


def text(found: Status, suite: Suite, width: int | None = None) -> str:
    """For people: a line, and done/total by environment and unit of budget, in lines of `width` characters if given."""
    part = "" if found.part == str(WHOLE) else f", part {found.part}"
    facts = [f"{found.name}{part}: {found.done:,} of {found.total:,} episodes ({found.done / max(found.total, 1):.1%})"]
    if found.failed:
        facts.append(f"{found.failed:,} failed")
    if found.running:
        facts.append("running")
        facts += [f"{found.rate:,.3g} a second"] if found.rate else []
        facts += [time_left(found.seconds_left)] if found.seconds_left is not None else []
    elif found.done == found.total:
        facts.append("finished")
    else:
        facts.append("not running; continue with `bonspiel run ... --resume`")
    line = ", ".join(facts)
    if width is not None:
        line = textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)
    cells = {setting: _cell(count) for setting, count in found.points.items()}
    return "\n\n".join([line, *by_setting(suite, cells, width)])


def _cell(count: Count) -> str:
    failed = f", {count.failed} failed" if count.failed else ""
    return f"all {count.total}" if count.done == count.total else f"{count.done}/{count.total}{failed}"
