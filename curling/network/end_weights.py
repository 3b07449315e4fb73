"""Files of weights of the network, with their provenance: one for each game and size of errors."""

import functools
import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from bonspiel.curling.ice.noise import noise_of
from bonspiel.curling.network.end_network import SHAPES, SIZES
from bonspiel.planners.checks import require
from bonspiel.planners.model import Array
from bonspiel.replacing import replacing

FOLDER = Path(__file__).parent  # of files GAME-NOISE.npz
FORMAT = 1
NO_WEIGHTS = np.empty(0)


@dataclass(frozen=True)
class Provenance:
    """The games that weights are for, and the training that they come from.

    Attributes:
        physics: of the games they are for, and of the physics whose `experience` it is. So weights for fcv1 serve dc4,
            which differs in the limits of play alone: over self-play of theirs the loss is 1.453 +- 0.007 nats in fcv1
            and 1.460 +- 0.017 in dc4.
        rule: of the games they are for.
        noise: of the games they are for, see `curling.ice.noise.noise_of`.
        seed: of the training.
        commit: of the sources.
        rounds: ends played in each round of self-play.
        game: "standard" or "mixed_doubles".
    """

    physics: str
    rule: str
    noise: str
    seed: int
    commit: str
    rounds: tuple[int, ...]
    game: str = "standard"

    @property
    def file(self) -> Path:
        """The file of these weights in the package."""
        return FOLDER / f"{self.game}-{self.noise.replace('*', 'x')}.npz"


def save(path: Path, weights: Array, provenance: Provenance) -> None:
    """Write weights, [WEIGHTS], in single precision."""
    parts = np.split(weights.astype(np.float32), np.cumsum(SIZES)[:-1])
    arrays = {f"layer{i}": part.reshape(shape) for i, (part, shape) in enumerate(zip(parts, SHAPES, strict=True))}
    about = json.dumps({"format": FORMAT, **asdict(provenance)})
    with replacing(path) as draft, draft.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, about=np.array(about), **arrays)


@functools.lru_cache(maxsize=8)
def load(path: Path) -> tuple[Array, Provenance]:
    """The weights, [WEIGHTS], and their provenance.

    Raises:
        ValueError: no such file, not one of weights, of another version or shape, or not finite.
    """
    try:
        with np.load(path) as file:
            about = json.loads(str(file["about"]))
            arrays = [file[f"layer{i}"].astype(np.float64, casting="same_kind") for i in range(len(SHAPES))]
        version = about.pop("format")
        provenance = Provenance(**{**about, "rounds": tuple(about["rounds"])})
        noise_of(provenance.noise)
    except FileNotFoundError:
        raise ValueError(f"weights={str(path)!r}: there is no such file") from None
    except Exception as error:  # numpy, zipfile and json raise what they like on a file of something else
        raise ValueError(f"weights={str(path)!r}: must be a file of weights ({error})") from None
    require(version == FORMAT, "weights", str(path), f"of format {FORMAT}, not {version}")
    shapes = tuple(array.shape for array in arrays)
    require(shapes == SHAPES, "weights", str(path), f"of the shapes {SHAPES}, not {shapes}")
    weights = np.concatenate([array.ravel() for array in arrays])
    require(bool(np.isfinite(weights).all()), "weights", str(path), "finite numbers")
    weights.flags.writeable = False
    return weights, provenance


@functools.cache
def own(game: str) -> tuple[tuple[Array, Provenance], ...]:
    """The networks of this package for a game; a line on standard error names those that cannot be used."""
    found: list[tuple[Array, Provenance]] = []
    faults: list[str] = []
    for file in sorted(FOLDER.glob(f"{game}-*.npz")):
        try:
            found.append(load(file))
        except ValueError as error:
            faults.append(str(error))
    for fault in faults or [f"there is no network for {game} in {FOLDER}"] * (not found):
        instead = "another network is" if found else "playouts are"
        print(f"bonspiel: {fault}; {instead} used instead", file=sys.stderr, flush=True)
    return tuple(found)
