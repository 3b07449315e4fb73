"""Expressions of RDDL as Python: what can be written in one line is, the rest as statements before it."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from bonspiel.envs.rddl.aggregations import Aggregations
from bonspiel.envs.rddl.domain import Domain
from bonspiel.envs.rddl.draws import draw
from bonspiel.envs.rddl.scope import Scope, Variable
from bonspiel.envs.rddl.storage import Storage, Value, bare
from bonspiel.envs.rddl.uses import free
from bonspiel.envs.rddl.writer import Writer

COMPARISONS = {"==": "==", "~=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
LOGIC = {"^": " and ", "&": " and ", "|": " or "}
FUNCTIONS = {
    "abs": "abs({})",
    "sgn": "np.sign({})",
    "round": "np.rint({})",
    "floor": "np.floor({})",
    "ceil": "np.ceil({})",
    "cos": "np.cos({})",
    "sin": "np.sin({})",
    "tan": "np.tan({})",
    "acos": "np.arccos({})",
    "asin": "np.arcsin({})",
    "atan": "np.arctan({})",
    "cosh": "np.cosh({})",
    "sinh": "np.sinh({})",
    "tanh": "np.tanh({})",
    "exp": "np.exp({})",
    "ln": "np.log({})",
    "sqrt": "np.sqrt({})",
    "lngamma": "math.lgamma({})",
    "gamma": "math.gamma({})",
    "div": "np.floor({} / {})",
    "mod": "({} % {})",
    "fmod": "({} % {})",
    "min": "np.minimum({}, {})",
    "max": "np.maximum({}, {})",
    "pow": "({} ** {})",
    "log": "(np.log({}) / np.log({}))",
    "hypot": "np.hypot({}, {})",
}


class Expressions:
    """Writes the statements that an expression needs, and gives its value.

    Args:
        domain: of the problem.
        storage: where fluents are.
        out: receives the statements.
        generator: the source of a generator's method for a random draw, given the expression and the flat position of
            its objects.
    """

    def __init__(
        self, domain: Domain, storage: Storage, out: Writer, generator: Callable[[Any, str], str] | None = None
    ) -> None:
        self.domain, self.storage, self.out = domain, storage, out
        self.after = False  # whether states are those after the step
        self.where = ""  # what is written, for messages
        self.known: dict[int, Value] = {}  # of expressions that were written before the innermost loop
        self._generator = generator
        self._kinds: dict[str, Callable[[Any, Scope], Value]] = {
            "constant": self._constant,
            "pvar": self._variable,
            "arithmetic": self._arithmetic,
            "relational": self._relational,
            "boolean": self._logical,
            "aggregation": Aggregations(self).value,
            "func": self._function,
            "control": self._control,
            "randomvar": lambda expression, scope: draw(self, expression, scope),
        }

    def value(self, expression: Any, scope: Scope) -> Value:
        """The value of an expression.

        Args:
            expression: of pyRDDLGym.
            scope: the parameters that it may use.

        Raises:
            Refused: a construct that cannot be compiled.
        """
        kind, operator = expression.etype
        if expression.id in self.known:
            return self.known[expression.id]
        if kind not in ("constant", "pvar") and self.domain.is_constant(expression):
            return self._folded(expression, scope)
        if kind not in self._kinds:
            raise self.domain.refuse(operator if kind != "pyfunc" else f"${operator}", self.where)
        return self._kinds[kind](expression, scope)

    def variable(self, name: str, kind: str, scope: Scope) -> Variable:
        """The variable of a loop over objects; another name where the definition of a fluent stands within its loop."""
        code = self.storage.parameter(name)
        taken = {word for one in scope.values() for word in re.findall(r"\w+", one.code)}
        return Variable(kind, self.storage.names.fresh(code) if code in taken else code)

    def number(self, expression: Any, scope: Scope) -> str:
        """The source of an expression's value as a number."""
        return self.value(expression, scope).number

    def refuse(self, construct: str) -> Exception:
        """The error for a construct that cannot be compiled."""
        return self.domain.refuse(construct, self.where)

    def _folded(self, expression: Any, scope: Scope) -> Value:
        """A constant that is computed once: a number, or a table over the objects that it depends on."""
        values = np.asarray(self.domain.constant(expression))
        boolean = values.dtype == bool
        names = [name for name, _ in self.domain.scope(expression)]
        used = [name for name in names if name in free(expression)]
        values = values[tuple(slice(None) if name in used else 0 for name in names)] if names else values
        if not used:
            return Value(str(bool(values)), True) if boolean else _literal(float(values))
        types, index = [scope[name].kind for name in used], [scope[name].code for name in used]
        return self.storage.table("constant", values, types, index, boolean)

    def _constant(self, expression: Any, scope: Scope) -> Value:
        value = expression.args
        return Value(str(value), True) if isinstance(value, bool) else _literal(float(value))

    def _variable(self, expression: Any, scope: Scope) -> Value:
        name, parameters = expression.args
        if name in scope:
            return Value(scope[name].code)
        if name not in self.domain.rddl.variable_types:
            return Value(self._object(name))
        if name in self.storage.inlined:
            return self.value(self.domain.expressions[name][1], self.inner(name, parameters, scope))
        return self.storage.read(name, [self.index(one, scope) for one in parameters or ()], self.after)

    def index(self, parameter: Any, scope: Scope) -> str:
        """The number of an object: a loop's, one that is named, or the value of a fluent."""
        if not isinstance(parameter, str):
            return f"int({bare(self.number(parameter, scope))})"
        return scope[parameter].code if parameter in scope else self._object(parameter)

    def _object(self, name: str) -> str:
        rddl = self.domain.rddl
        return str(rddl.object_to_index[rddl.strip_literal(name)])

    def _arithmetic(self, expression: Any, scope: Scope) -> Value:
        operator, values = expression.etype[1], [self.number(one, scope) for one in expression.args]
        if len(values) == 1:
            return Value(f"(-{values[0]})" if operator == "-" else values[0])
        return Value(f"({f' {operator} '.join(values)})")

    def _relational(self, expression: Any, scope: Scope) -> Value:
        left, right = (self.number(one, scope) for one in expression.args)
        return Value(f"({left} {COMPARISONS[expression.etype[1]]} {right})", True)

    def _logical(self, expression: Any, scope: Scope) -> Value:
        operator, given = expression.etype[1], expression.args
        if len(given) == 1:
            return Value(f"(not {self.value(given[0], scope).code})", True)
        if operator in LOGIC:
            return self._joined(LOGIC[operator], list(given), scope)
        left, right = (self.value(one, scope).code for one in given)
        if operator == "=>":
            return Value(f"(not {left} or {right})", True)
        return Value(f"({left} {'==' if operator == '<=>' else '!='} {right})", True)

    def _joined(self, word: str, given: list[Any], scope: Scope) -> Value:
        """A conjunction or disjunction; statements that a later argument needs run only where it decides."""
        code = self.value(given[0], scope).code
        for one in given[1:]:
            with self.out.aside() as lines:
                value = self.value(one, scope).code
            if not lines:
                code = f"{code}{word}{value}"
                continue
            name = self.storage.names.fresh("holds")
            self.out.line(f"{name} = {code}")
            with self.out.block(f"if {name}:" if word == " and " else f"if not {name}:"):
                self.out.paste(lines)
                self.out.line(f"{name} = {value}")
            code = name
        return Value(f"({code})", True)

    def _function(self, expression: Any, scope: Scope) -> Value:
        name, given = expression.etype[1], expression.args
        if name not in FUNCTIONS or FUNCTIONS[name].count("{}") != len(given):
            raise self.refuse(f"{name}[{len(given)} arguments]")
        values = [self.number(one, scope) for one in given]
        if name == "pow" and values[1] in ("2.0", "0.5"):
            return Value(f"({values[0]} ** 2)" if values[1] == "2.0" else f"np.sqrt({values[0]})")
        return Value(FUNCTIONS[name].format(*values))

    def _control(self, expression: Any, scope: Scope) -> Value:
        if expression.etype[1] == "switch":
            return self._switch(expression, scope)
        condition, then, otherwise = expression.args
        return self._if(self.value(condition, scope).code, then, lambda: self.value(otherwise, scope), scope)

    def _if(self, condition: str, then: Any, otherwise: Callable[[], Value], scope: Scope) -> Value:
        """A conditional expression, or statements where one of its branches needs some."""
        with self.out.aside() as first:
            one = self.value(then, scope)
        with self.out.aside() as second:
            two = otherwise()
        boolean = one.boolean and two.boolean
        codes = [value.code if boolean else value.number for value in (one, two)]
        if not first and not second:
            return Value(f"({codes[0]} if {condition} else {codes[1]})", boolean)
        name = self.storage.names.fresh("chosen")
        for header, lines, code in ((f"if {condition}:", first, codes[0]), ("else:", second, codes[1])):
            with self.out.block(header):
                self.out.paste(lines)
                self.out.line(f"{name} = {bare(code)}")
        return Value(name, boolean)

    def _switch(self, expression: Any, scope: Scope) -> Value:
        cases, default = self.domain.simulator.traced.cached_sim_info(expression)
        given = self.number(expression.args[0], scope)
        branches = [(number, case) for number, case in enumerate(cases) if case is not None]
        last = default if default is not None else branches.pop()[1]

        def rest(position: int) -> Value:
            if position == len(branches):
                return self.value(last, scope)
            number, case = branches[position]
            return self._if(f"{given} == {number}", case, lambda: rest(position + 1), scope)

        return rest(0)

    def inner(self, fluent: str, parameters: Any, scope: Scope) -> Scope:
        """The scope of a fluent's definition where it is read with these parameters."""
        variables = self.domain.expressions[fluent][0]
        codes = [self.index(one, scope) for one in parameters or ()]
        return {name: Variable(kind, code) for (name, kind), code in zip(variables, codes, strict=True)}

    def loop(
        self,
        variables: list[tuple[str, str]],
        scope: Scope,
        body: Callable[[], None],
        between: Callable[[], None] = lambda: None,
    ) -> None:
        """Write statements once for all combinations of objects.

        Args:
            variables: of the loops, with their types; none to write the statements as they are.
            scope: has the variables.
            body: writes the statements.
            between: writes what follows each inner loop.
        """
        if not variables:
            body()
            return
        (name, kind), *rest = variables
        with self.out.block(f"for {scope[name].code} in range({self.storage.count(kind)}):"):
            self.loop(rest, scope, body, between)
            if rest:
                between()

    def generator(self, expression: Any) -> str:
        """The source of the generator that an expression draws from."""
        if self._generator is None:
            return "rng"
        names = [(name, kind) for name, kind in self.domain.scope(expression)]
        position = self.storage.position([kind for _, kind in names], [self.storage.parameter(one) for one, _ in names])
        return self._generator(expression, position or "0")

    def named(self, code: str) -> str:
        """A name for a value that is used more than once."""
        if re.fullmatch(r"\w+", code):
            return code
        name = self.storage.names.fresh("value")
        self.out.line(f"{name} = {bare(code)}")
        return name


def _literal(value: float) -> Value:
    text = repr(value) if np.isfinite(value) else f"{'-' * (value < 0)}np.{'nan' if np.isnan(value) else 'inf'}"
    return Value(f"({text})" if text.startswith("-") else text)
