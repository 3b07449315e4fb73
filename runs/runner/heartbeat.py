"""Show the progress of episodes under way: workers of this machine write it to files, which the driver reads."""

import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from bonspiel.runs.experiment import Setting

T = TypeVar("T")

INTERVAL = 1.0  # s between two beats of a worker
STALE = 300.0  # s after which a beat no longer counts: its worker was killed, or a decision takes that long


class Beat(NamedTuple):
    """An episode under way.

    Attributes:
        setting: of the episode.
        decisions: made so far.
        horizon: most decisions that it can have.
        seconds: since it began.
    """

    setting: Setting
    decisions: int
    horizon: int
    seconds: float


class Heart:
    """Writes the beats of one worker to its file, at most one a second.

    Args:
        file: to write to.
        setting: of the episodes.
    """

    def __init__(self, file: Path, setting: Setting) -> None:
        self._file, self._setting = file, setting
        self._began, self._due, self._wrote = 0.0, 0.0, False

    def begin(self) -> None:
        """Begin an episode."""
        self.end()
        self._began = time.perf_counter()
        self._due = self._began + INTERVAL

    def beat(self, decisions: int, horizon: int) -> None:
        """Note the decisions made so far, where it is time to."""
        now = time.perf_counter()
        if now >= self._due:
            self._due, self._wrote = now + INTERVAL, True
            with suppress(OSError):  # progress is not worth an episode
                self._file.write_text(json.dumps([self._setting, decisions, int(horizon), now - self._began]))

    def end(self) -> None:
        """End an episode, or several."""
        if self._wrote:
            self._wrote = False
            with suppress(OSError):
                self._file.unlink(missing_ok=True)


_hearts: list[Heart] = []  # of this process: one while it plays for a driver that reads its beats


def current() -> Heart | None:
    """The heart of this process, None where no driver reads its beats."""
    return _hearts[-1] if _hearts else None


def beating(folder: str | None, play: Callable[..., T], setting: Setting, *given: Any) -> T:
    """Play episodes of a setting with beats into a file of this process in a folder, without beats if that is None."""
    if folder is None:
        return play(setting, *given)
    heart = Heart(Path(folder) / str(os.getpid()), setting)
    _hearts.append(heart)
    try:
        return play(setting, *given)
    finally:
        _hearts.pop()
        heart.end()


def read(folder: str) -> Sequence[Beat]:
    """The episodes under way, in no order; one whose file is stale or just being written is left out."""
    found = []
    for file in Path(folder).iterdir():
        try:
            if time.time() > file.stat().st_mtime + STALE:
                continue
            setting, *facts = json.loads(file.read_text())
        except (OSError, ValueError):
            continue
        found.append(Beat(Setting(*setting), *facts))
    return found


def text(beats: Sequence[Beat]) -> str:
    """The longest episode under way in words, ready to follow other progress; nothing if there is none."""
    if not beats:
        return ""
    longest = max(beats, key=lambda beat: beat.seconds)
    return f"; the longest episode under way has {longest.decisions:,} of at most {longest.horizon:,} decisions"
