"""An RDDL domain with one of its instances, as pyRDDLGym reads them."""

import contextlib
import difflib
import io
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from bonspiel.envs.rddl.bounds import comparisons
from bonspiel.planners.model import Array

EXTRA = "problems in RDDL need pyRDDLGym and rddlrepository: pip install 'bonspiel[rddl]'"
COLOURS = re.compile(r"\x1b\[\d+m")


class Refused(ValueError):
    """A problem that cannot be compiled, or not be read; the message names the construct and its line."""


@dataclass(frozen=True)
class Domain:
    """The fluents of a domain and the objects of an instance, with the expressions that connect them.

    Attributes:
        name: such as "Reservoir_ippc2023:instance=1".
        text: of the domain's file and of the instance's.
        simulator: of pyRDDLGym.
        bounds: lowest and highest values of states and actions by fluent, arrays over the objects.
        boxed: for each action precondition, whether it is a bound and nothing else.
    """

    name: str
    text: str
    simulator: Any
    bounds: dict[str, tuple[Any, Any]]
    boxed: tuple[bool, ...]

    @property
    def rddl(self) -> Any:
        """PyRDDLGym's lifted model."""
        return self.simulator.rddl

    @cached_property
    def expressions(self) -> dict[str, tuple[list[tuple[str, str]], Any]]:
        """The parameters and the expression of each fluent that is computed, in an order in which they can be.

        Within a level, the order is the file's; pyRDDLGym's is that of a set, another in every process.
        """
        given = list(self.rddl.cpfs)
        found: dict[str, tuple[list[tuple[str, str]], Any]] = {}
        for _, fluents in sorted(self.simulator.levels.items()):
            found |= {name: self.rddl.cpfs[name] for name in sorted(fluents, key=given.index)}
        return found

    def types(self, fluent: str) -> list[str]:
        """The types of a fluent's parameters."""
        return list(self.rddl.variable_params[fluent] or ())

    def sizes(self, types: list[str]) -> tuple[int, ...]:
        """The number of objects of each of these types."""
        return tuple(self.rddl.object_counts(types)) if types else ()

    def count(self, fluent: str) -> int:
        """The number of a fluent's values: one for each combination of objects."""
        return int(np.prod(self.sizes(self.types(fluent)), dtype=int))

    def range(self, fluent: str) -> str:
        """The kind of a fluent's values: "real", "int", "bool", or the type of the objects that they are."""
        return str(self.rddl.variable_ranges[fluent])

    def values(self, fluent: str) -> Array:
        """The values that an instance gives a fluent, [count]: constants, or what an episode begins with."""
        return np.ravel(np.asarray(self.simulator.init_values[fluent], dtype=float))

    def is_boolean(self, expression: Any) -> bool:
        """Whether an expression is true or false rather than a number."""
        kind, operator = expression.etype
        if kind == "pvar":
            fluent = self.rddl.prev_state.get(operator, operator)
            return fluent in self.rddl.variable_ranges and self.range(fluent) == "bool"
        if kind == "control" and operator == "if":
            return all(map(self.is_boolean, expression.args[1:]))
        if kind == "constant":
            return isinstance(expression.args, bool)
        return kind in ("boolean", "relational") or operator in ("forall", "exists", "Bernoulli")

    def is_constant(self, expression: Any) -> bool:
        """Whether neither states nor actions nor chance change a value."""
        return bool(self.rddl.is_non_fluent_expression(expression))

    def constant(self, expression: Any) -> Any:
        """The value of a constant expression, an array over the objects in scope."""
        return self.simulator._sample(expression, self.simulator.init_values)

    def scope(self, expression: Any) -> list[tuple[str, str]]:
        """The parameters in scope at an expression, with their types."""
        return list(self.simulator.traced.cached_objects_in_scope(expression))

    def check_playable(self) -> None:
        """Refuse a problem without actions, and one whose episodes end before the first action.

        Raises:
            Refused: see above.
        """
        if not self.rddl.action_fluents:
            raise Refused(f"rddl:{self.name}: it has no action-fluents, so there is nothing to plan")
        _, over = self.simulator.reset()
        if over:
            raise Refused(f"rddl:{self.name}: a termination condition holds in the initial state")

    def refuse(self, construct: str, where: str) -> Refused:
        """The error for a construct that cannot be compiled.

        Args:
            construct: as it stands in the file.
            where: the fluent whose expression has it, or the section.
        """
        lines = self.text.splitlines()
        word, place = construct.split("(")[0], re.compile(rf"^\s*{re.escape(where)}\s*(\(|=|\{{)")
        start = next((number for number, line in enumerate(lines) if place.match(line)), 0)
        found = next((number for number in (*range(start, len(lines)), *range(start)) if word in lines[number]), None)
        at = "" if found is None else f" (line {found + 1} of the domain: {lines[found].strip()})"
        return Refused(f"rddl:{self.name}: {construct} in {where} cannot be compiled{at}; use interpreted=true")


def read_domain(domain: str, instance: str) -> Domain:
    """A domain of rddlrepository or of a file, with an instance.

    Args:
        domain: a name of rddlrepository, or the path of a file that ends with ".rddl".
        instance: of that name, or the path of its file.

    Raises:
        ImportError: pyRDDLGym is not installed.
        ValueError: no such domain or instance, or one that pyRDDLGym cannot read.
    """
    name, domain_file, instance_file = _files(domain, instance)
    try:
        from pyRDDLGym.core.compiler.model import RDDLLiftedModel
        from pyRDDLGym.core.constraints import RDDLConstraints
        from pyRDDLGym.core.parser.parser import RDDLParser
        from pyRDDLGym.core.parser.reader import RDDLReader
        from pyRDDLGym.core.simulator import RDDLSimulator
    except ImportError as error:
        raise ImportError(EXTRA) from error
    said = io.StringIO()
    try:
        with _quiet(said):
            parser = RDDLParser(lexer=None, verbose=False)
            parser.build()
            parsed = parser.parse(RDDLReader(str(domain_file), str(instance_file)).rddltxt)
            simulator = RDDLSimulator(RDDLLiftedModel(parsed), objects_as_strings=False, keep_tensors=True)
            with _comparisons_only(simulator.rddl) as boxed:
                bounds = RDDLConstraints(simulator, vectorized=True).bounds
    except Exception as error:  # pyRDDLGym has many, and some of the standard library's for faults in a file
        reason = " ".join(COLOURS.sub("", f"{said.getvalue().strip()} {error}").split())
        raise Refused(f"rddl:{name}: pyRDDLGym cannot read it ({type(error).__name__}: {reason})") from error
    text = "".join(file.read_text(encoding="utf-8", errors="replace") for file in (domain_file, instance_file))
    return Domain(name, text, simulator, dict(bounds), boxed)


@contextlib.contextmanager
def _comparisons_only(rddl: Any) -> Iterator[tuple[bool, ...]]:
    """Leave a model the parts of its conditions that bound fluents; of each precondition, whether it stays whole.

    pyRDDLGym would take the bounds of a comparison whatever parameters it has.
    """
    conditions = rddl.preconditions, rddl.invariants
    actions = [comparisons(rddl, one, rddl.action_fluents) for one in rddl.preconditions]
    states = [comparisons(rddl, one, rddl.state_fluents) for one in rddl.invariants]
    rddl.preconditions, rddl.invariants = ([part for found, _ in of for part in found] for of in (actions, states))
    try:
        yield tuple(whole for _, whole in actions)
    finally:
        rddl.preconditions, rddl.invariants = conditions


def repository() -> dict[str, list[str]]:
    """The domains of rddlrepository with their instances.

    Raises:
        ImportError: it is not installed.
    """
    manager = _manager()
    return {name: manager.get_problem(name).list_instances() for name in manager.list_problems()}


def _files(domain: str, instance: str) -> tuple[str, Path, Path]:
    if domain.endswith(".rddl"):
        files = Path(domain), Path(instance)
        for file in files:
            if not file.is_file():
                raise ValueError(
                    f"rddl:{domain}:{instance}: there is no file {file}; give rddl:DOMAIN.rddl:INSTANCE.rddl"
                )
        return f"{domain}:{instance}", *files
    manager = _manager()
    if domain not in (names := manager.list_problems()):
        close = "".join(f"; did you mean {one}?" for one in difflib.get_close_matches(domain, names, 1))
        raise ValueError(f"rddl:{domain}: no domain of rddlrepository{close} `bonspiel list --rddl` lists them")
    problem = manager.get_problem(domain)
    if instance not in (instances := problem.list_instances()):
        raise ValueError(f"rddl:{domain}: instance={instance}: must be one of {', '.join(instances)}")
    return f"{domain}:instance={instance}", Path(problem.get_domain()), Path(problem.get_instance(instance))


def _manager() -> Any:
    try:
        from rddlrepository.core.manager import RDDLRepoManager
    except ImportError as error:
        raise ImportError(EXTRA) from error
    return RDDLRepoManager()


@contextlib.contextmanager
def _quiet(said: io.StringIO) -> Iterator[None]:
    """Keep what a parser prints, and its warnings, off the terminal."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        warnings.simplefilter("ignore")
        yield
