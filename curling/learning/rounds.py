"""The folder of a learning: a folder for each round, with its parts of self-play, its training and its weights."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import joblib
import numpy as np

from bonspiel.curling.learning.evaluation import Evaluation, evaluate
from bonspiel.curling.learning.self_play import MOST_ENDS, Part, play_part
from bonspiel.curling.learning.training import Descent, epoch, first_weights
from bonspiel.curling.model import Curling
from bonspiel.curling.network.end_weights import Provenance, load, save
from bonspiel.curling.settings import Game
from bonspiel.planners.checks import require, require_count
from bonspiel.planners.core.jit import compile_missing
from bonspiel.planners.model import Array
from bonspiel.planners.wrappers.root.workers import leave_ctrl_c_to_the_parent
from bonspiel.replacing import replacing

PART_ENDS = 4_000
HELD_OUT = 2  # parts of each round that are not learned from
LINE_SECONDS = 10.0


class Advance(Protocol):
    """Reports progress."""

    def __call__(self, count: int = 1) -> None:
        """Add `count` to what is done."""


@contextmanager
def _progress(total: int, things: str) -> Iterator[Advance]:
    """Lines on standard error, with the time left."""
    start, done, last = time.monotonic(), 0, 0.0

    def advance(count: int = 1) -> None:
        nonlocal done, last
        done += count
        now = time.monotonic()
        if now - last >= LINE_SECONDS or done == total:
            last, left = now, (now - start) / done * (total - done)
            print(f"{done:,} of {total:,} {things}, about {left:.0f} s left", file=sys.stderr, flush=True)

    yield advance


@dataclass(frozen=True)
class Learning:
    """Rounds of self-play and training, of which every step resumes where it was stopped.

    Round 0 learns from ends of the default policy; each further round plays with the weights of the one before, and
    trains them further.

    Args:
        folder: for all that is made.
        seed: of everything random.
        samples: errors of execution that the best shots meet in self-play.
        game: that is learned.
        noise: of the throws, see `curling.ice.noise.noise_of`; None is the usual one.
    """

    folder: Path
    seed: int = 2026
    samples: int = 8
    game: Game = "standard"
    noise: str | None = None

    @classmethod
    def of_folder(cls, folder: Path, **given: Any) -> "Learning":
        """The learning that a folder was begun with, or a new one; given are other arguments, or None.

        Raises:
            ValueError: they are out of range, or others than the folder was begun with.
        """
        file, asked = folder / "learning.json", {name: value for name, value in given.items() if value is not None}
        if file.exists():
            begun = json.loads(file.read_text(encoding="utf-8"))
            for name, value in asked.items():
                require(begun[name] == value, name, value, f"{begun[name]}, as {folder} was begun with")
            return cls(folder, **begun)
        new = cls(folder, **asked)
        require_count("seed", new.seed, 0)
        require_count("samples", new.samples)
        new.match  # noqa: B018 - refuses a noise that there is not
        folder.mkdir(parents=True, exist_ok=True)
        facts = {name: value for name, value in asdict(new).items() if name != "folder"}
        file.write_text(json.dumps(facts) + "\n", encoding="utf-8")
        return new

    @property
    def match(self) -> Curling:
        """A match of the game and errors that are learned."""
        return Curling(MOST_ENDS, game=self.game, noise=self.noise, reward="win_probability")

    def round_folder(self, number: int) -> Path:
        """The folder of a round."""
        return self.folder / f"round-{number}"

    def weights(self, number: int) -> str:
        """The file of weights that a round leaves; "none" before the first."""
        return str(self.round_folder(number) / "weights.npz") if number >= 0 else "none"

    def generate(self, number: int, ends: int, tried: int, jobs: int) -> None:
        """Play the ends of a round that its folder lacks, in parts; each shot tries `tried` aims of a grid.

        Raises:
            ValueError: the weights of the round before are missing, its first ends were played with other aims, or
                it has weights of fewer ends already.
        """
        require_count("round", number, 0)
        require_count("ends", ends)
        require_count("aims", tried, 0)
        weights = self.weights(number - 1)
        if number > 0:
            load(Path(weights))
        self.round_folder(number).mkdir(parents=True, exist_ok=True)
        self._agree(number, self._parts_there(number), aims=tried)
        parts = range(-(-ends // PART_ENDS) + HELD_OUT)
        due = [part for part in parts if not self._part(number, part).exists()]
        if due and Path(self.weights(number)).exists():
            there = PART_ENDS * (len(self._parts_there(number)) - HELD_OUT)
            raise ValueError(
                f"ends={ends}: must be {there}, from which round {number} has weights; or delete its folder"
            )
        tasks = (joblib.delayed(self._play)(number, part, weights, tried) for part in due)
        compile_missing()  # else every process would compile
        apart = joblib.parallel_config(backend="loky", inner_max_num_threads=1, initializer=leave_ctrl_c_to_the_parent)
        with apart, _progress(len(due), f"parts of {PART_ENDS:,} ends of round {number}") as advance:
            for _ in joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")(tasks):
                advance()

    def train(self, number: int, epochs: int) -> None:
        """Train the weights of a round on its parts; `epochs` in all, of which a stopped training keeps those done.

        Raises:
            ValueError: the round has no parts, or was trained for other epochs or on fewer ends.
        """
        require_count("round", number, 0)
        require_count("epochs", epochs)
        weights, checkpoint = Path(self.weights(number)), self.round_folder(number) / "training.npz"
        ends = PART_ENDS * (len(self._parts_there(number)) - HELD_OUT)
        if ends > 0:
            self._agree(number, [file for file in (weights, checkpoint) if file.exists()], ends=ends, epochs=epochs)
        if weights.exists():
            print(f"round {number} has its weights already", file=sys.stderr, flush=True)
            return
        data, params = self._parts(number, held_out=False), self.match.params
        before: Array
        rounds: tuple[int, ...] = ()
        if number == 0:
            before = first_weights(np.random.default_rng([self.seed, number, 1])).astype(np.float64)
        else:
            before, about = load(Path(self.weights(number - 1)))
            rounds = about.rounds
        descent, first = Descent.from_weights(before), 0
        if checkpoint.exists():
            with np.load(checkpoint) as saved:
                first, steps = int(saved["epoch"]), int(saved["steps"])
                descent = Descent(saved["weights"], saved["mean"], saved["square"], steps)
        for at in range(first, epochs):
            rng = np.random.default_rng([self.seed, number, 2, at])
            with _progress(len(data.points), f"positions of epoch {at + 1} of {epochs}, round {number}") as advance:
                loss = epoch(descent, data, params, at, epochs, rng, advance)
            print(f"round {number}, epoch {at + 1}: loss {loss:.4f}", file=sys.stderr, flush=True)
            with replacing(checkpoint) as draft, draft.open("wb") as file:
                np.savez(file, epoch=at + 1, **vars(descent))
        match, rounds = self.match, (*rounds, ends)
        about = Provenance(match.physics, str(match.rule), str(match.noise), self.seed, _commit(), rounds, self.game)
        save(weights, descent.weights.astype(np.float64), about)

    def evaluate(self, number: int) -> Evaluation:
        """Judge the weights of a round by the parts held out of it; written to its folder too."""
        held_out = self._parts(number, held_out=True)
        found = evaluate(self.weights(number), held_out, np.random.default_rng([self.seed, number, 3]), self.match)
        text = json.dumps(asdict(found), indent=1)
        (self.round_folder(number) / "evaluation.json").write_text(text + "\n", encoding="utf-8")
        return found

    def _part(self, number: int, part: int) -> Path:
        return self.round_folder(number) / f"part-{part:05d}.npz"

    def _parts_there(self, number: int) -> list[Path]:
        return sorted(self.round_folder(number).glob("part-*.npz"))

    def _agree(self, number: int, made: list[Path], **given: int) -> None:
        """Note what a round is made with; refuse what differs from that of files which there are."""
        file = self.round_folder(number) / "round.json"
        known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        for name, value in given.items():
            if made:
                were = f"{known.get(name)}, as for {made[0]}; delete the files of its round, or take another folder"
                require(known.get(name, value) == value, name, value, were)
        if not made:
            with replacing(file) as draft:
                draft.write_text(json.dumps(known | given) + "\n", encoding="utf-8")

    def _play(self, number: int, part: int, weights: str, tried: int) -> None:
        played = play_part(self.match, weights, part, PART_ENDS, self.samples, tried, self.seed + number)
        with replacing(self._part(number, part)) as draft, draft.open("wb") as file:
            np.savez(file, **vars(played))

    def _parts(self, number: int, *, held_out: bool) -> Part:
        """The positions of a round that are learned from, or those held out: the parts with the first numbers.

        Raises:
            ValueError: there are none.
        """
        files = self._parts_there(number)
        chosen = files[:HELD_OUT] if held_out else files[HELD_OUT:]
        if not chosen:
            raise ValueError(f"{self.round_folder(number)} has no positions: generate them first")
        loaded = [np.load(file) for file in chosen]
        return Part(*(np.concatenate([part[name] for part in loaded]) for name in Part.__annotations__))


def _commit() -> str:
    """That of the sources, with "+" for sources that were changed since; empty where git does not know."""
    command = ["git", "describe", "--always", "--abbrev=12", "--dirty=+", "--exclude=*"]
    result = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    return result.stdout.strip()
