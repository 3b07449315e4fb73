"""A share of a run, for one of several machines."""

from typing import NamedTuple

from bonspiel.runs.experiment import UsageError, number

MOST = 100_000


class RunPart(NamedTuple):
    """Every `of`-th episode of every setting, beginning with the `nth`, counted from 1."""

    nth: int
    of: int

    @classmethod
    def parse(cls, text: str) -> "RunPart":
        """From a text such as "1/4"."""
        try:
            nth, of = map(int, text.split("/"))
        except ValueError:
            raise UsageError(f"part {text!r}: must be written as 1/4, the first of four") from None
        number("parts", of, 1, MOST, whole=True)
        number("part", nth, 1, of, whole=True)
        return cls(nth, of)

    def episodes(self, count: int) -> range:
        """The episodes of this part where a setting has `count`."""
        return range(self.nth - 1, count, self.of)

    def __str__(self) -> str:
        return f"{self.nth}/{self.of}"


WHOLE = RunPart(1, 1)
