"""Models of problems in RDDL."""

import functools
import hashlib
import importlib.util
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from bonspiel.envs.rddl.actions import Actions
from bonspiel.envs.rddl.domain import Domain, read_domain
from bonspiel.envs.rddl.oracle import Interpreter
from bonspiel.envs.rddl.source import write_source
from bonspiel.planners.checks import require_positive
from bonspiel.planners.core.code.cache import say_once, usable_folder
from bonspiel.planners.model import Array, Rng
from bonspiel.planners.registry import unknown

SKIPPED = re.compile(r"^(?!\s*//).*\bstate-action-constraints\s*\{", re.MULTILINE)
BOUND = 100.0  # of actions that a domain leaves unbounded


class Bounds(NamedTuple):
    """Largest sizes of actions: one for all, and those of single fluents."""

    default: float
    own: tuple[tuple[str, float], ...] = ()

    def of(self, fluent: str) -> float:
        """The largest size of a fluent's actions."""
        return dict(self.own).get(fluent, self.default)

    @classmethod
    def read(cls, given: float | str | Mapping[str, float]) -> "Bounds":
        """The bounds as they are written.

        Raises:
            ValueError: not of that form, or no positive number.
        """
        if isinstance(given, str):
            pairs = [one.partition("=") for one in given.split(",")]
            try:
                given = {name.strip(): float(number) for name, _, number in pairs}
            except ValueError as error:
                raise ValueError(f"bound={given!r}: must be a number or FLUENT=NUMBER,...") from error
        if not isinstance(given, Mapping):
            require_positive("bound", given)
            return cls(float(given))
        for name, number in given.items():
            require_positive(name, number)
        return cls(BOUND, tuple(sorted(given.items())))

    def check(self, domain: Domain) -> None:
        """Refuse fluents that are no actions of a domain.

        Raises:
            ValueError: names the fluent and those of the domain.
        """
        for name, _ in self.own:
            if name not in domain.rddl.action_fluents:
                raise unknown(f"action of rddl:{domain.name}", name, domain.rddl.action_fluents)


class RddlModel:
    """A problem in RDDL as a model; `from_rddl` makes it.

    The state has the values of all state fluents, in the order of the domain, those with parameters over all
    combinations of objects; its last coordinate counts the steps. Booleans are 0 and 1, objects are numbers. The
    action has the action fluents; `action_names` says what each coordinate is.

    Attributes:
        name: such as "Reservoir_ippc2023:instance=1".
        source: of the compiled functions, as Python; empty for an interpreted problem.
        action_names: of the action's coordinates.
        action_kinds: "real", "integer", "boolean" or "categorical" for each.
        null_action: does nothing, as the domain has it, [action_dim].
        remark: on what of the problem is left out, for reports.
    """

    def __init__(self, domain: Domain, bounds: Bounds, interpreted: bool, arguments: tuple[Any, ...]) -> None:
        actions = Actions(domain, bounds.of)
        self._arguments = arguments
        self.name = domain.name
        self._digest = hashlib.blake2b(domain.text.encode(), digest_size=4).hexdigest()
        self.domain = domain
        self.layout = actions
        self.action_low, self.action_high = actions.low, actions.high
        self.action_kinds, self.action_names, self.null_action = actions.kinds, actions.names, actions.null
        self.horizon, self.discount = int(domain.rddl.horizon), float(domain.rddl.discount)
        self.state_low, self.state_high = _state_bounds(domain, self.horizon)
        self.state_dim = len(self.state_low)
        self.time_index = self.state_dim - 1
        self.remark = "; ".join(_left_out(domain, actions))
        self.compiled = not interpreted
        if interpreted:
            interpreter = Interpreter(domain, actions)
            self.source, self.params = "", np.zeros(1)
            self.step, self.sample_action = interpreter.step, interpreter.sample_action
        else:
            written = write_source(domain, actions)
            Interpreter(domain, actions).check_types(self.initial_state(np.random.default_rng(0)))
            self.source, self.params = written.text, written.params
            self.__class__ = _class_of(written.text)

    def initial_state(self, rng: Rng) -> Array:
        """The state that the instance begins with."""
        return np.concatenate([*map(self.domain.values, self.domain.rddl.state_fluents), np.zeros(1)])

    def __reduce__(self) -> tuple[Any, ...]:
        return from_rddl, self._arguments

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RddlModel) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        """The arguments, and a digest of the files: a run is not resumed, nor a value on disk used, after an edit."""
        return f"from_rddl({', '.join(map(repr, self._arguments))})  # files {self._digest}"


def from_rddl(
    domain: str, instance: Any = "1", bound: float | str | Mapping[str, float] = BOUND, interpreted: bool = False
) -> RddlModel:
    """A problem in RDDL as a model, compiled to machine code.

    Args:
        domain: a name of rddlrepository, such as "Reservoir_ippc2023", or the path of a file that ends with ".rddl".
        instance: of that name, or the path of its file.
        bound: largest size of actions that the domain leaves without a bound; a line says which. A number for all, or
            numbers by fluent, as a mapping or written `fan-in=10,heat-input=1000`; the others have 100.
        interpreted: whether pyRDDLGym makes the steps, some hundred times slower, also those that cannot be compiled.

    Raises:
        ImportError: the extra `rddl` is not installed.
        ValueError: no such problem, one that pyRDDLGym cannot read, one with a construct that cannot be compiled,
            which is named with its line, or one that has no actions or is over when it begins.
    """
    bounds = Bounds.read(bound)
    read = read_domain(str(domain), str(instance))
    bounds.check(read)
    read.check_playable()
    model = RddlModel(read, bounds, interpreted, (str(domain), str(instance), bound, bool(interpreted)))
    if model.remark:
        say_once(f"rddl:{model.name}: {model.remark}")
    return model


def _left_out(domain: Domain, actions: Actions) -> Iterator[str]:
    """Name the parts of a problem that its model ignores."""
    if ignored := actions.not_enforced():
        numbers = ", ".join(map(str, ignored))
        yield f"action preconditions that are no bounds are not enforced: number {numbers}"
    if SKIPPED.search(domain.text):
        yield "state-action-constraints are not read, as by pyRDDLGym: write action-preconditions"


def _state_bounds(domain: Domain, horizon: int) -> tuple[Array, Array]:
    """Bounds of each coordinate of a state; infinite where the domain has none."""
    low: list[Array] = []
    high: list[Array] = []
    for fluent in domain.rddl.state_fluents:
        kind, count = domain.range(fluent), domain.count(fluent)
        if kind in ("real", "int"):
            bounds = domain.bounds[fluent]
        else:
            bounds = (0.0, 1.0 if kind == "bool" else len(domain.rddl.type_to_objects[kind]) - 1.0)
        for edge, found in zip(bounds, (low, high), strict=True):
            found.append(np.ravel(np.broadcast_to(edge, domain.sizes(domain.types(fluent)) or (count,))).astype(float))
    return np.concatenate([*low, np.zeros(1)]), np.concatenate([*high, np.full(1, float(horizon))])


@functools.cache
def _class_of(text: str) -> type[RddlModel]:
    """The class of the models with these functions, as searches find functions by the class of a model."""
    functions = _module(text)
    members = {"step": staticmethod(functions.step), "sample_action": staticmethod(functions.sample_action)}
    return type(RddlModel.__name__, (RddlModel,), {"__module__": __name__, **members})


def _module(text: str) -> ModuleType:
    """The module of a source, kept in the cache as a file, so that its machine code is kept too."""
    digest = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    folder = usable_folder("rddl") or Path(tempfile.mkdtemp(prefix="bonspiel-rddl-"))
    file = folder / f"rddl_{digest}.py"
    if not file.is_file() or file.read_text(encoding="utf-8") != text:
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8") as new:
            new.write(text)
        Path(new.name).replace(file)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return module
