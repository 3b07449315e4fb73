"""What is in scope where an expression is written, and what writes expressions."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from bonspiel.envs.rddl.domain import Domain
from bonspiel.envs.rddl.storage import Storage, Value
from bonspiel.envs.rddl.writer import Writer


class Variable(NamedTuple):
    """A parameter, such as "?r", where its object is known.

    Attributes:
        kind: its type.
        code: the number of the object, as source.
    """

    kind: str
    code: str


Scope = dict[str, Variable]


class ExpressionWriter(Protocol):
    """What aggregations and random draws need of the writer of expressions."""

    domain: Domain
    storage: Storage
    out: Writer

    def value(self, expression: Any, scope: Scope) -> Value:
        """The value of an expression."""

    def number(self, expression: Any, scope: Scope) -> str:
        """The source of an expression's value as a number."""

    def index(self, parameter: Any, scope: Scope) -> str:
        """The number of an object, as source."""

    def inner(self, fluent: str, parameters: Any, scope: Scope) -> Scope:
        """The scope of a fluent's definition where it is read with these parameters."""

    def variable(self, name: str, kind: str, scope: Scope) -> Variable:
        """The variable of a loop over objects."""

    def loop(
        self,
        variables: list[tuple[str, str]],
        scope: Scope,
        body: Callable[[], None],
        between: Callable[[], None] = ...,
    ) -> None:
        """Write statements once for all combinations of objects."""

    def named(self, code: str) -> str:
        """A name for a value that is used more than once."""

    def generator(self, expression: Any) -> str:
        """The source of the generator that an expression draws from."""

    def refuse(self, construct: str) -> Exception:
        """The error for a construct that cannot be compiled."""
