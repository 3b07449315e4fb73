"""The game of Nim for `bonspiel match`, with records in a format of its own."""

import json
from dataclasses import asdict, dataclass
from typing import ClassVar

import numpy as np

from bonspiel import planners
from bonspiel.planners.checks import require
from bonspiel.runs.games.game import GameSummary, Step


class NimModel:
    """The state is [stones, player]; an action takes one to three stones; who takes the last one wins.

    Rewards are those of player 0, whose `player` is +1.
    """

    state_dim, discount, compiled, discrete, max_actions = 2, 1.0, False, True, 3
    action_low, action_high, params = np.array([1.0]), np.array([3.0]), np.zeros(0)
    player = staticmethod(lambda state, params: 1.0 - 2.0 * state[1])

    def __init__(self, heap):
        self.horizon = self.heap = heap

    def initial_state(self, rng):
        return np.array([self.heap, 0.0])

    @staticmethod
    def actions(state, params, actions, keys):
        count = min(3, int(state[0]))
        actions[:count, 0] = keys[:count] = range(1, count + 1)
        return count

    @staticmethod
    def sample_action(state, action, params, rng):
        action[0] = rng.integers(1, min(3, int(state[0])) + 1)

    @staticmethod
    def step(state, action, next_state, params, rng):
        next_state[:] = state[0] - round(action[0]), 1.0 - state[1]
        over = next_state[0] <= 0.0
        return (1.0 - 2.0 * state[1] if over else 0.0), bool(over)


@dataclass(frozen=True)
class Nim:
    """The game, as runs/games takes it."""

    heap: int = 21

    roles: ClassVar = ("first", "second")
    suffix: ClassVar = ".json"
    make_player = staticmethod(planners.parse)

    def __post_init__(self):
        require(0 < self.heap < 1000, "heap", self.heap, "from 1 to 999")

    title = property(lambda self: f"a heap of {self.heap}")
    model = property(lambda self: NimModel(self.heap))

    def initial_state(self, rng):
        return self.model.initial_state(rng)

    def player(self, state):
        return int(state[1])

    def check_action(self, state, action):
        require(1 <= round(action[0]) <= min(3, state[0]), "action", action, "1 to 3 stones of those left")
        return np.round(action)

    def step(self, state, action, rng):
        after = np.empty(2)
        reward, over = NimModel.step(state, action, after, None, rng)
        return Step(after, 0.5 + 0.5 * reward if over else None)

    def record(self, scheduled, moves, forfeit):
        value = moves[-1].step.value if forfeit is None else float(forfeit.player)
        return {
            "sides": [list(side) for side in scheduled.sides],
            "game": asdict(self),
            "numbers": scheduled[1:],
            "moves": [[move.player, move.seconds, move.simulations, int(move.action[0])] for move in moves],
            "value": value,
            "forfeit": forfeit and str(forfeit),
        }

    def write(self, file, record):
        file.write_text(json.dumps(record))

    def read(self, file, partial=False):
        return json.loads(file.read_text())

    def is_record_of(self, record, scheduled):
        return record["sides"] == [list(side) for side in scheduled.sides] and tuple(record["numbers"]) == scheduled[1:]

    def summary(self, record):
        moves = tuple(tuple(move[:3]) for move in record["moves"])
        winner = int(record["value"] < 0.5)  # None for a draw, which Nim does not know
        return GameSummary(record["value"], winner, record["forfeit"], moves)

    def length(self, record):
        return len(record["moves"])

    def picture(self, record, advance):
        for _ in record["moves"]:
            advance()
        return f"<p>{' '.join(str(move[3]) for move in record['moves'])}</p>", None
