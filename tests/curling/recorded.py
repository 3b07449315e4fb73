"""Recorded shots and matches of the reference simulators, in the shot frame."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bonspiel.curling.ice.engines import Engine, make_engine
from bonspiel.curling.ice.physics import DC2, physics_of
from bonspiel.curling.ice.sheet import no_stones

DATA = Path(__file__).parent / "data"


class ReferenceShot(NamedTuple):
    kind: str  # "free", "1 stone", "2-5 stones", "6-15 stones", "clusters"
    stones: np.ndarray
    index: int
    velocity: tuple[float, float]
    spin: float
    final: np.ndarray
    points: int | None  # team 0's, of the final position


def records(name: str) -> Iterator[dict[str, Any]]:
    with (DATA / name).open() as lines:
        yield from map(json.loads, lines)


def kind_of(stones: int, collisions: int, cluster: bool) -> str:
    if cluster:
        return "clusters"
    if not collisions:
        return "free"
    return "1 stone" if stones == 1 else "2-5 stones" if stones <= 5 else "6-15 stones"


def dc3_shots() -> list[ReferenceShot]:
    def place(listed: list[dict[str, Any]]) -> np.ndarray:
        stones = no_stones()
        for s in listed:
            stones[s["i"]] = s["x"], s["y"]
        return stones

    return [
        ReferenceShot(
            kind_of(len(r["initial"]), r["n_collisions"], r["kind"] == "cluster"),
            place(r["initial"]),
            r["shooter"],
            (r["vx"], r["vy"]),
            r["omega"],
            place(r["final"]),
            r["score"][0] - r["score"][1],
        )
        for r in records("dc3_shots.jsonl")
    ]


def dc2_shots() -> list[ReferenceShot]:
    """DC2's y points away from the house and its rows are in the order thrown; spin 0 is clockwise."""

    def place(listed: list[list[float]]) -> np.ndarray:
        stones = np.array(listed, np.float64)
        stones[(stones == 0.0).all(1)] = np.nan
        return stones * (1.0, -1.0) + (-2.375, 41.28)

    return [
        ReferenceShot(
            kind_of(r["shot_num"], r["shot_num"], False),
            place(r["initial"]),
            r["shot_num"],
            (r["vx"], -r["vy"]),
            DC2.launch_spin if r["angle"] else -DC2.launch_spin,
            place(r["final"]),
            None,
        )
        for r in records("dc2_shots.jsonl")
    ]


def shots(physics: str) -> list[ReferenceShot]:
    return dc3_shots() if physics_of(physics).name == "fcv1" else dc2_shots()


def sample(given: list[ReferenceShot], every: dict[str, int]) -> list[ReferenceShot]:
    """Every n-th shot of each kind."""
    return [shot for kind, n in every.items() for shot in [s for s in given if s.kind == kind][::n]]


def as_played_by(engine: Engine, given: Iterable[ReferenceShot]) -> list[ReferenceShot]:
    """The same shots with the final stones of this engine."""
    return [s._replace(final=engine.shot(s.stones, s.index, s.velocity, s.spin)) for s in given]


class Errors(NamedTuple):
    same: list[bool]  # the same stones survive
    millimetres: list[float]  # largest distance of a surviving stone, where they do


def compare(engine: Engine, given: Iterable[ReferenceShot]) -> dict[str, Errors]:
    """Errors of an engine by kind of shot."""
    given = list(given)
    return errors_of(as_played_by(engine, given), given)


def errors_of(played: Iterable[ReferenceShot], given: Iterable[ReferenceShot]) -> dict[str, Errors]:
    """Errors by kind of shots that were played again."""
    errors: dict[str, Errors] = defaultdict(lambda: Errors([], []))
    for shot, true in zip(played, given, strict=True):
        same = bool((np.isnan(shot.final) == np.isnan(true.final)).all())
        errors[shot.kind].same.append(same)
        if same:
            apart = np.hypot(*(shot.final - true.final)[~np.isnan(shot.final[:, 0])].T)
            errors[shot.kind].millimetres.append(1e3 * float(apart.max(initial=0.0)))
    return errors


def main() -> None:
    """Print the distances of final stones from the recorded places and between the engines, as in docs/results."""
    for physics in ("fcv1", "dc2"):
        recorded = shots(physics)
        played = as_played_by(make_engine("box2d", physics), recorded)
        for name, engine, given in [
            ("Box2D", "box2d", recorded),
            ("analytic", "analytic", recorded),
            ("analytic against Box2D", "analytic", played),
        ]:
            print(f"\n{name}, {physics}\n")
            print("| shots | n | same survivors | median | p90 | max, mm |\n|---|---|---|---|---|---|")
            errors = compare(make_engine(engine, physics), given)
            for kind, (same, apart) in errors.items():
                low, high, most = (np.quantile(apart, q) for q in (0.5, 0.9, 1.0))
                print(f"| {kind} | {len(same)} | {np.mean(same):.3f} | {low:.2f} | {high:.1f} | {most:.1f} |")
            every = [s for kind, (same, _) in errors.items() if kind != "free" for s in same]
            print(f"| all with contact | {len(every)} | {np.mean(every):.3f} | | | |")


if __name__ == "__main__":
    main()
