"""The seal of a complete run: digests of its results and of all else in the file, by which a later change shows.

It is no signature: whoever changes the file can seal it again. What then still shows is a replay (`runs.archive`).
"""

import functools
import hashlib
import json
from typing import Any, NamedTuple

from bonspiel.runs.experiment import UsageError
from bonspiel.runs.results.store import DRIVER, SEAL, Count, Store

BYTES = 16


class Seal(NamedTuple):
    """Digests of a run, each 32 hexadecimal digits."""

    # of the suite with its labels, and of returns, steps, simulations and invalid rollouts of all episodes; a packed
    # run has that of its folder, and so has the same run on another machine
    results: str
    rest: str  # of provenance, parameters, times, first actions and failures

    @classmethod
    def of(cls, store: Store) -> "Seal":
        """The digests of a run as it is now."""
        results, rest = (hashlib.blake2b(digest_size=BYTES) for _ in cls._fields)
        results.update(store.suite.to_json().encode())
        for setting in store.suite.settings():
            results.update(repr((*setting,)).encode())
            rows = [*store.episodes(setting)]
            results.update(repr([(e.number, e.total, e.steps, e.simulations, e.invalid) for e in rows]).encode())
            rest.update(repr([(e.seconds, e.first_action, e.times) for e in rows]).encode())
        facts = {name: text for name, text in store.entries().items() if name not in (DRIVER, SEAL)}
        rest.update(json.dumps([facts, store.failures()], sort_keys=True).encode())
        return cls(results.hexdigest(), rest.hexdigest())

    @classmethod
    def kept(cls, store: Store) -> "Seal | None":
        """The seal that a run carries; None for one that is not complete, or of a version before 0.3."""
        try:
            found: Any = json.loads(store.entries().get(SEAL, "null"))
            return found and cls(**found)
        except (TypeError, ValueError):
            return cls("unreadable", "unreadable")


def attach(store: Store) -> None:
    """Seal a run if it is complete and carries no seal."""
    done, _, failed, total = Count.of(store.counts())
    if done == total and not failed and Seal.kept(store) is None:
        store.note(SEAL, json.dumps(Seal.of(store)._asdict()))


@functools.lru_cache(maxsize=1)  # several parts of a report ask
def broken(store: Store) -> str | None:
    """How a run that is only read differs from its seal, in words; None if it does not, or carries none."""
    kept = Seal.kept(store)
    if kept is None or (now := Seal.of(store)) == kept:
        return None
    if now.results != kept.results:
        return f"its results were changed after it was complete (their digest is {now.results}, not {kept.results})"
    return "its provenance, parameters or times were changed after it was complete (its results were not)"


def check(store: Store) -> None:
    """Refuse a run that was changed after it was complete."""
    if change := broken(store):
        raise UsageError(f"{store.folder}: {change}; restore the file, or see what differs: bonspiel verify")
