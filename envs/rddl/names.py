"""Python's names for what an RDDL file names: each of them another, and none a word of Python or of the source."""

import builtins
import keyword
import re

TAKEN = {
    *keyword.kwlist,
    *dir(builtins),
    "action",
    "compiled",
    "math",
    "interm",
    "next_state",
    "np",
    "params",
    "rng",
    "sample_action",
    "state",
    "step",
}


class Names:
    """Names of Python for the fluents, types and parameters of a domain."""

    def __init__(self) -> None:
        self._given: dict[str, str] = {}
        self._used = set(TAKEN)

    def of(self, rddl: str) -> str:
        """The name for a fluent, a type or a parameter: the same each time."""
        if rddl not in self._given:
            self._given[rddl] = self._unused(rddl)
        return self._given[rddl]

    def fresh(self, word: str) -> str:
        """A name that was not given before."""
        return self._unused(word)

    def _unused(self, text: str) -> str:
        word = re.sub(r"\W", "_", text.strip("?@'")) or "value"
        word = f"_{word}" if word[0].isdigit() else word
        name, number = word, 1
        while name in self._used:
            number += 1
            name = f"{word}_{number}"
        self._used.add(name)
        return name
