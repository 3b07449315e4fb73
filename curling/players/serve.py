"""A player as a program, `python -m bonspiel.curling.players.serve PLANNER`: see docs/curling/process-player.md.

It is one file, which an older version's own Python can run, so that this version plays against that one:
`process:/path/to/old/python -I /path/to/this/serve.py PLANNER`. A version without `curling.records.position` plays
standard games, with only what bonspiel has had since version 0.1.
"""

import functools
import json
import math
import os
import sys
import time
from importlib import import_module
from typing import Any

import numpy as np

PROTOCOL = 1


def _module(*names: str) -> Any:
    """Import the first of these modules that this version of bonspiel has."""
    for name in names:
        try:
            return import_module(name)
        except ModuleNotFoundError as error:
            if not f"{name}.".startswith(f"{error.name}."):  # the module is there, and needs another one
                raise
    raise ModuleNotFoundError(f"this version of bonspiel has none of {', '.join(names)}")


# the packages had top-level names in version 0.1
players = _module("bonspiel.curling.players", "curling.players")
Curling = _module("bonspiel.curling.model", "curling.model").Curling
Budget = _module("bonspiel.planners", "planners").Budget
WARM_UP = Budget(seconds=0.1)  # which loads, or compiles, all that a planner needs


def position(asked: dict[str, Any]) -> tuple[Any, Any]:
    """The match and the state of a message."""
    try:
        codec = import_module("bonspiel.curling.records.position").MatchPosition
    except ModuleNotFoundError:
        return _standard_position(asked)
    found = codec.from_json(asked)
    return found.model(), found.state()


_match_of = functools.cache(Curling)


def _standard_position(asked: dict[str, Any]) -> tuple[Any, Any]:
    """`position` in standard games, for versions of bonspiel that lack `curling.records.position`."""
    if "mixed_doubles" in asked:
        raise ValueError("this version of bonspiel plays standard games only")
    Noise = _module("bonspiel.curling.noise", "curling.noise").Noise
    state_of = _module("bonspiel.curling.state", "curling.state").state_of
    settings = {key: asked[key] for key in ("ends", "extra_ends", "reward", "tie", "physics", "rule", "max_speed")}
    match = _match_of(noise=Noise(**asked["noise"]), **settings)
    stones = np.array([(math.nan, math.nan) if place is None else place for place in asked["stones"]])
    return match, state_of(stones, asked["shot"], asked["hammer"], asked["end"], asked["lead"])


def shot(planner: Any, asked: dict[str, Any], start: float) -> dict[str, Any]:
    """The answer to a position, which came when the clock showed `start`."""
    model, state = position(asked)
    budget = Budget(**asked["budget"])
    if budget.seconds is not None:
        budget = Budget(seconds=max(budget.seconds - (time.perf_counter() - start), 1e-6))
    decision = planner.plan(model, state, budget, np.random.default_rng(asked["seed"]))
    vx, vy, rotation = decision.action.tolist()
    answer = {"type": "shot", "vx": vx, "vy": vy, "rotation": 1 if rotation >= 0.0 else -1}
    value = float(decision.value)
    if math.isfinite(value):
        # rewards are team 0's: team 1 expects a probability less one; smoothed values may be a little beyond
        answer["value"] = value if asked["reward"] == "points" else min(max(value + asked["team"], 0.0), 1.0)
    return answer | {"simulations": int(decision.simulations), "seconds": time.perf_counter() - start}


def ready(text: str) -> Any:
    """The planner of this text, after it has planned once."""
    planner, model, rng = players.parse(text), Curling().planning(), np.random.default_rng(0)
    planner.plan(model, model.initial_state(rng), WARM_UP, rng)
    return planner


def failure(error: Exception) -> dict[str, str]:
    """The answer that reports an error."""
    return {"type": "error", "message": " ".join(f"{type(error).__name__}: {error}".split())}


def main(line: list[str]) -> int:
    """Answer standard input, line by line, until it is closed; the exit status."""
    wants_help = line[:1] in (["-h"], ["--help"])
    if wants_help or len(line) != 1:
        usage = "usage: python -m bonspiel.curling.players.serve PLANNER, a planner as for bonspiel match"
        print(usage, file=sys.stdout if wants_help else sys.stderr)
        return 0 if wants_help else 2
    answers = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)  # whatever else is printed
    planner = None
    for asked in sys.stdin:
        start = time.perf_counter()
        answer: dict[str, Any]
        try:
            message = json.loads(asked)
            if message["type"] == "hello":
                planner = ready(line[0])
                answer = {"type": "hello", "protocol": PROTOCOL}
            else:
                answer = shot(planner, message, start)
        except Exception as error:
            answer = failure(error)
        answers.write(json.dumps(answer) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
