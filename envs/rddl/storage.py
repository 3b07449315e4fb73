"""Where the source of a step finds the values of fluents: in which array, and from which entry on."""

from dataclasses import dataclass

import numpy as np

from bonspiel.envs.rddl.actions import Actions, Coordinates
from bonspiel.envs.rddl.domain import Domain
from bonspiel.envs.rddl.names import Names
from bonspiel.envs.rddl.uses import find_inlined
from bonspiel.planners.model import Array


@dataclass(frozen=True)
class Value:
    """A value as Python's source.

    Attributes:
        code: an expression, in parentheses where others may stand around it.
        boolean: whether it is true or false rather than a number.
        stored: of a boolean, where it is stored as 0 or 1.
    """

    code: str
    boolean: bool = False
    stored: str = ""

    @property
    def number(self) -> str:
        """The source of a number."""
        return self.stored or f"(1.0 if {self.code} else 0.0)" if self.boolean else self.code


class Storage:
    """The layout of states, actions, constants and intermediate values, as definitions for the source.

    Args:
        domain: of the problem.
        actions: its actions as a vector.

    Attributes:
        definitions: lines of source that name sizes, first entries and constants.
        inlined: fluents that have no entry, as their expressions stand where they are read.
        locals: computed fluents without parameters, which are variables of the step.
        interm_dim: the number of values of all other intermediate fluents.
        time: the name of the coordinate that counts the steps.
        time_index: the coordinate of the state that counts the steps, its last one.
    """

    def __init__(self, domain: Domain, actions: Actions) -> None:
        self.domain, self.actions, self.names = domain, actions, Names()
        self.definitions = ["# the number of objects of each type"]
        self._counts = {kind: self.names.fresh(f"n_{kind}") for kind in domain.rddl.type_to_objects}
        self.definitions += [f"{self._counts[kind]} = {len(one)}" for kind, one in domain.rddl.type_to_objects.items()]
        self.time_index = self._lay("the state", list(domain.rddl.state_fluents))
        self.time = self.names.fresh("time")
        self.definitions.append(f"{self.time} = {self.time_index}")
        self.definitions.append("# where the values of each fluent begin in the action")
        self.definitions += [f"{self.names.of(fluent)} = {start}" for fluent, start in actions.starts.items()]
        self.inlined = find_inlined(domain)
        computed = [one for one in domain.expressions if one not in {*domain.rddl.prev_state, *self.inlined}]
        self.locals = [one for one in computed if not domain.types(one)]
        self.interm_dim = self._lay("the intermediate values", [one for one in computed if domain.types(one)])
        self.definitions.append("# constants, and where those with parameters begin in params")
        self._params: list[Array] = []
        self._constants: set[str] = set()

    @property
    def params(self) -> Array:
        """The constants with parameters, one after the other."""
        return np.concatenate(self._params) if self._params else np.zeros(1)

    def parameter(self, variable: str) -> str:
        """The name of a variable of loops over objects, such as "?r"."""
        return self.names.of(variable)

    def count(self, kind: str) -> str:
        """The name of the number of objects of a type."""
        return self._counts[kind]

    def read(self, fluent: str, index: list[str], after: bool = False) -> Value:
        """The value of a fluent.

        Args:
            fluent: its name, with an apostrophe for the next state's.
            index: the numbers of the objects, as source.
            after: whether states are those after the step.
        """
        rddl = self.domain.rddl
        state = rddl.prev_state.get(fluent, fluent)
        boolean, at = self.domain.range(state) == "bool", self.position(self.domain.types(state), index)
        if state in rddl.state_fluents:
            array = "next_state" if after or fluent != state else "state"
            return self._entry(array, state, at, boolean)
        if fluent in rddl.action_fluents:
            return self._action(fluent, index)
        if fluent in self.locals:
            return Value(self.names.of(fluent), boolean)
        if fluent in self.domain.expressions:
            return self._entry("interm", fluent, at, boolean)
        self._define_constant(fluent)
        return self._entry("params", fluent, at, boolean) if index else Value(self.names.of(fluent), boolean)

    def choice(self, fluent: str, index: list[str]) -> str | None:
        """The coordinate that says for which one of its last parameter's objects an action fluent is true, if any."""
        if fluent not in self.domain.rddl.action_fluents or self.actions.block_of(fluent).rows != len(index) - 1:
            return None
        return f"action[{_sum(self.names.of(fluent), self.position(self.domain.types(fluent)[:-1], index[:-1]))}]"

    def target(self, fluent: str, index: list[str]) -> str:
        """Where a computed fluent is written."""
        if fluent in self.locals:
            return self.names.of(fluent)
        state = self.domain.rddl.prev_state.get(fluent)
        array, name = ("next_state", state) if state else ("interm", fluent)
        return f"{array}[{_sum(self.names.of(name), self.position(self.domain.types(name), index))}]"

    def table(self, word: str, values: Array, types: list[str], index: list[str], boolean: bool) -> Value:
        """The entry of a table of constants that are kept in `params` from now on.

        Args:
            word: for its name.
            values: over the objects of these types.
            types: of the objects.
            index: the numbers of the objects, as source.
            boolean: whether the values are true and false.
        """
        name = self.names.fresh(word)
        self._keep(name, values, types)
        code = f"params[{_sum(name, self.position(types, index))}]"
        return _loaded(code, boolean)

    def _lay(self, where: str, fluents: list[str]) -> int:
        """Give fluents consecutive entries, and return the number of all entries."""
        self.definitions.append(f"# where the values of each fluent begin in {where}")
        start = 0
        for fluent in fluents:
            objects = ", ".join(self.domain.types(fluent))
            self.definitions.append(f"{self.names.of(fluent)} = {start}{f'  # of {objects}' * bool(objects)}")
            start += self.domain.count(fluent)
        return start

    def position(self, types: list[str], index: list[str]) -> str:
        """The position of objects in a row of all their combinations, as source; empty without objects."""
        code = ""
        for kind, number in zip(types, index, strict=True):
            code = f"{f'({code})' if ' ' in code else code} * {self._counts[kind]} + {number}" if code else number
        return code

    def _define_constant(self, fluent: str) -> None:
        if fluent in self._constants:
            return
        self._constants.add(fluent)
        types, name, values = self.domain.types(fluent), self.names.of(fluent), self.domain.values(fluent)
        if types:
            self._keep(name, values, types)
        else:
            value = bool(values[0]) if self.domain.range(fluent) == "bool" else float(values[0])
            self.definitions.append(f"{name} = {value}")

    def _keep(self, name: str, values: Array, types: list[str]) -> None:
        start = sum(map(len, self._params))
        self._params.append(np.ravel(np.asarray(values, dtype=float)))
        self.definitions.append(f"{name} = {start}  # of {', '.join(types)}")

    def _action(self, fluent: str, index: list[str]) -> Value:
        block, types, start = self.actions.block_of(fluent), self.domain.types(fluent), self.names.of(fluent)
        if block.slots:
            return self._slots(block, fluent, self.position(types, index))
        if block.rows is not None:
            row = self.position(types[: block.rows], index[: block.rows])
            which = self.position(types[block.rows :], index[block.rows :])
            return Value(f"(action[{_sum(start, row)}] == {which} + 1)", True)
        return self._entry("action", fluent, self.position(types, index), block.kind == "boolean")

    def _slots(self, block: Coordinates, fluent: str, at: str) -> Value:
        """Whether one of the slots chose this value; where the default is true, whether none did."""
        before = sum(map(self.domain.count, block.fluents[: block.fluents.index(fluent)]))
        number = f"{_sum(str(before + 1), at)}"
        default = bool(self.domain.values(fluent)[0])
        same, joined = ("!=", " and ") if default else ("==", " or ")
        slots = (f"action[{_sum(self.names.of(fluent), str(slot) if slot else '')}]" for slot in range(len(block.low)))
        return Value(f"({joined.join(f'{slot} {same} {number}' for slot in slots)})", True)

    def _entry(self, array: str, fluent: str, at: str, boolean: bool) -> Value:
        code = f"{array}[{_sum(self.names.of(fluent), at)}]"
        return _loaded(code, boolean)


def bare(code: str) -> str:
    """An expression without the parentheses around it."""
    depth = 0
    for position, character in enumerate(code):
        depth += (character == "(") - (character == ")")
        if depth == 0 and position < len(code) - 1:
            return code
    return code[1:-1] if code.startswith("(") else code


def _loaded(code: str, boolean: bool) -> Value:
    return Value(f"({code} != 0.0)", True, stored=code) if boolean else Value(code)


def _sum(start: str, at: str) -> str:
    return f"{start} + {at}" if at else start
