"""The results of a run: a folder with its settings, a line for each position that was judged, and means over them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from bonspiel.curling.regret.clients import Answer
from bonspiel.curling.regret.positions import TestPosition
from bonspiel.curling.regret.referee import ShotRegret
from bonspiel.replacing import replacing
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.files import LOCK, writing

SETTINGS, JUDGED = "regret.json", "judged.jsonl"


@dataclass(frozen=True)
class Examined:
    """A position, and what came of the clients there.

    Attributes:
        number: of the position, from 0.
        key: of its content.
        answers: of the clients, by name.
        verdicts: of each referee, on the shots of those who gave one.
        seconds: of a core that the referees took.
    """

    number: int
    key: str
    answers: Mapping[str, Answer]
    verdicts: Mapping[str, tuple[ShotRegret, ...]]
    seconds: float

    def to_line(self) -> str:
        """As a line of JSON."""
        answers = {name: answer._asdict() for name, answer in self.answers.items()}
        verdicts = {name: [asdict(one) for one in found] for name, found in self.verdicts.items()}
        facts = {"number": self.number, "key": self.key, "seconds": round(self.seconds, 3)}
        return json.dumps(facts | {"answers": answers, "verdicts": verdicts})

    @classmethod
    def of_line(cls, line: str) -> "Examined":
        """The contents of a line."""
        given = json.loads(line)
        answers = {
            name: Answer(one["shot"] and tuple(one["shot"]), one["failure"], one["seconds"])
            for name, one in given["answers"].items()
        }
        verdicts = {
            name: tuple(ShotRegret(**one | {"shot": tuple(one["shot"]), "best": tuple(one["best"])}) for one in found)
            for name, found in given["verdicts"].items()
        }
        return cls(given["number"], given["key"], answers, verdicts, given["seconds"])


def key_of(place: TestPosition) -> str:
    """A digest of a position and its settings."""
    text = json.dumps(place.position.to_json(), sort_keys=True)
    return blake2b(text.encode(), digest_size=8).hexdigest()


def settings_of(folder: Path) -> dict[str, Any]:
    """The settings of a run, as its folder keeps them; none if it has none.

    Raises:
        UsageError: they cannot be read.
    """
    file = folder / SETTINGS
    try:
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    except (OSError, ValueError) as error:
        raise UsageError(f"{file} cannot be read ({error})") from error
    return found


def lines(folder: Path) -> list[Examined]:
    """What a folder holds; not a last line that was cut off.

    Raises:
        UsageError: a line is damaged, or cannot be read.
    """
    file = folder / JUDGED
    try:
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        return [Examined.of_line(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
    except OSError as error:
        raise UsageError(f"{file} cannot be read ({error.strerror})") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(f"{file} holds a damaged line ({error}); choose another --out") from error


class RegretFolder:
    """The folder of a run; new positions extend it.

    Args:
        folder: for the results; made if needed.
        settings: that the results depend on, by name.
        places: the positions, of which the first may have been judged already.
        resume: whether to go on where there are results.

    Attributes:
        done: what was judged already, by the number of the position.

    Raises:
        UsageError: it holds something else, or cannot be written.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any], places: Sequence[TestPosition], resume: bool) -> None:
        self.folder, self._file = folder, folder / JUDGED
        kept = folder / SETTINGS
        if kept.exists():
            if not resume:
                raise UsageError(f"{folder} holds results already: continue with --resume, or choose another --out")
            before = settings_of(folder)
            for name in {**before, **settings}:
                if before.get(name) != settings.get(name):
                    text = f"{name} was {before.get(name)!r}, and is {settings.get(name)!r} now"
                    raise UsageError(f"{folder} holds results of other settings: {text}; choose another --out")
        elif folder.exists() and any(path.name != LOCK for path in folder.iterdir()):
            raise UsageError(f"{folder} holds no results of bonspiel regret, but other files; choose another --out")
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            with replacing(kept) as draft:
                draft.write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")
        self._read = lines(folder)
        self.done = {one.number: one for one in self._read if one.number < len(places)}
        for one in self.done.values():
            if one.key != key_of(places[one.number]):
                number = one.number + 1
                raise UsageError(f"{folder}: position {number} was another one; choose another --out")
        with writing(self._file):  # without a line that was cut off
            self._file.write_text("".join(one.to_line() + "\n" for one in self._read), encoding="utf-8")

    def add(self, one: Examined) -> None:
        """Keep what was judged."""
        self.done[one.number] = one
        with writing(self._file), self._file.open("a", encoding="utf-8") as file:
            file.write(one.to_line() + "\n")
