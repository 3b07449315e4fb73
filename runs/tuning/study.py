"""Studies: planners to tune in an environment, with an effort; docs/guides/tuning.md has the keys of their files."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from typing import Any

from bonspiel.planners.registry import unknown
from bonspiel.runs.experiment import Setting, UsageError, known_fields, number
from bonspiel.runs.suite import LISTS, in_full, model_of
from bonspiel.runs.suites import lookup

KEYS = ("description", LISTS, "study")


@dataclass(frozen=True)
class TuningStudy:
    """Some planners to tune in one environment, each with the same effort."""

    env: str  # NAME[:key=value,...]
    planners: tuple[str, ...]  # the planners to tune; parameters that their texts give stay as they are
    # planners that take part in the final as they are, each as one more candidate of the tuned planner of its name, or
    # for itself where there is none
    against: tuple[str, ...] = ()
    budget: int = 1000  # simulations per decision
    # candidates that the sampler chooses for each planner, in addition to the planner as it is written
    trials: int = 24
    episodes: int = 30  # most episodes of a trial
    seed: int = 1  # random seed; the suites of this package use 0
    sampler: str | None = None  # "tpe" or "random"; None takes the first where Optuna is installed

    def __post_init__(self) -> None:
        """Normalise the numbers and refuse what cannot be tuned."""
        limits = {"budget": (1, 1e12), "trials": (1, 1e6), "episodes": (1, 1e8), "seed": (0, 2**32 - 1)}
        for name, (low, high) in limits.items():
            object.__setattr__(self, name, number(name, getattr(self, name), low, high, whole=True))
        if not isinstance(self.env, str):
            raise UsageError(f"env={self.env!r}: must be a text")
        for name in ("planners", "against"):
            given = getattr(self, name)
            if not (isinstance(given, list | tuple) and all(isinstance(text, str) for text in given)):
                raise UsageError(f"{name}={given!r}: must be a list of texts")
            object.__setattr__(self, name, tuple(dict.fromkeys(given)))
        if not self.planners:
            raise UsageError(f"{self.env}: needs at least one planner to tune")
        if self.sampler not in (None, "tpe", "random"):
            raise UsageError(f"sampler={self.sampler!r}: must be tpe or random")

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "TuningStudy":
        """From a table of a TOML file."""
        known_fields(cls, given, "a study")
        for key in ("env", "planners"):
            if key not in given:
                raise UsageError(f"a study needs `{key}`")
        return cls(**given)

    def setting(self, planner: str) -> Setting:
        """The setting in which a planner's episodes are played."""
        return Setting(self.env, planner, self.budget, "simulations", self.seed)


def names() -> list[str]:
    """The files of studies that come with this package."""
    return lookup.packaged("bonspiel.runs.studies")


def load(target: str, planners: tuple[str, ...] = (), **given: Any) -> list[TuningStudy]:
    """The studies of a file, by its name or path, or one in an environment.

    Planners, if there are any, and `given` fields that are not None stand in place of the file's.
    """
    changes = {key: value for key, value in given.items() if value is not None}
    if target in names():
        content = resources.files("bonspiel.runs.studies").joinpath(f"{target}.toml").read_bytes()
    elif target.endswith(".toml"):
        content = lookup.content(target)
    else:
        target = lookup.qualified(target, (*planners, *(given.get("against") or ())))
        model_of(target)
        if not planners:
            raise UsageError("--planner is needed: the planner to tune")
        return [TuningStudy(target, planners, **changes)]
    if planners:
        changes["planners"] = planners
    return [replace(study, **changes) for study in _read(target, content)]


def _read(name: str, content: bytes) -> Iterator[TuningStudy]:
    given = lookup.tables(name, content)
    tables, lists = given.get("study", []), given.get(LISTS, {})
    for key in given:
        if key not in KEYS:
            wrong = unknown("key of a file of studies", key, KEYS)
            raise UsageError(f"{name}: {wrong}; studies are written as [[study]] tables")
    studies = isinstance(tables, list) and tables and all(isinstance(table, dict) for table in tables)
    if not (studies and isinstance(lists, dict)):
        raise UsageError(f"{name}: a file of studies has a `description`, lists in [{LISTS}], and [[study]] tables")
    for table in tables:
        yield from map(TuningStudy.of, in_full(table, lists))
