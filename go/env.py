"""bonspiel/Go-v0: a game of Go as a Gymnasium environment."""

from typing import Any

import numpy as np
from gymnasium import spaces

from bonspiel.envs.base import ModelEnv
from bonspiel.go.checks import check_move, check_position, legal_mask
from bonspiel.go.model import Go
from bonspiel.go.picture import draw_board
from bonspiel.go.state import LAST, MOVER
from bonspiel.go.vertices import vertex_of
from bonspiel.planners.checks import require
from bonspiel.planners.model import Array

COLOURS = {1: "Black", -1: "White"}


class GoEnv(ModelEnv):
    """A game of Go by area scoring; each step is a move of the player whose turn it is.

    ## Description
    Black and White put stones on the points of a board in turn; chains without empty points beside them are captured.
    The player with more points in the end wins: stones, and empty points that only one colour reaches; White also has
    komi.

    ## Action Space
    `Discrete(size^2 + 1)`: a point, counted from left to right and from top to bottom, or size^2, a pass. An illegal
    move raises a ValueError that names the rule; `info["action_mask"]` has 1 for legal moves, for `Discrete.sample`,
    and only 0 once the game is over. A planner's action, a vector of one number, is taken too.

    ## Observation Space
    `Box(size^2 + 6)`, with superko `Box(4 size^2 + 6)`.

    | Index | Observation |
    |---|---|
    | 0 to size^2 - 1 | the points: 1 a stone of Black's, -1 one of White's, 0 empty |
    | size^2 | the player to move: 1 Black, -1 White |
    | size^2 + 1 | the point that ko bars, or -1 |
    | size^2 + 2, size^2 + 3 | the last two moves, -1 for none |
    | size^2 + 4 | passes in a row |
    | size^2 + 5 | moves and passes so far |
    | from size^2 + 6 on | with superko: hashes of the positions so far, -1 for those to come |

    ## Transition Dynamics
    Nothing is random. Suicide is illegal, and so is to retake a single stone at once (ko); with `superko`, any move
    that repeats a position of the game.

    ## Rewards
    At the end 1 if Black wins, -1 if White does, 0 for a draw; before, 0.

    ## Starting State
    The empty board, Black to move; or `reset(options={"state": state})`. A position in which a chain has no liberty is
    refused, and so is a game that is over, or a ko, a last move or hashes that do not belong to the stones. With
    superko the hash of the position is written where it is -1.

    ## Episode End
    Terminates with two passes in a row, or after 3 size^2 plies. The board is scored as it stands: dead stones have to
    be captured.

    ## Arguments
    * `size` (default 9): lines each way, 5 to 19.
    * `komi` (default 7.5): points that White is given, a multiple of 1/2.
    * `superko` (default False): positional superko in place of simple ko.
    * `render_mode`: "rgb_array", "human" or None.

    ## Version History
    * v0: first version.
    """

    model: Go

    def __init__(self, size: int = 9, komi: float = 7.5, superko: bool = False, render_mode: str | None = None) -> None:
        super().__init__(Go(size, komi, superko), render_mode)
        self.action_space: Any = spaces.Discrete(self.model.max_actions)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begin a game; see `gymnasium.Env.reset`."""
        observation, _ = super().reset(seed=seed, options=options)
        return observation, self._info()

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Play a move: its number, or a planner's action."""
        observation, reward, terminated, truncated, _ = super().step(action)
        return observation, reward, terminated, truncated, self._info()

    @property
    def plays_its_model(self) -> bool:
        """True for this class itself; see `ModelEnv`."""
        return type(self).step is GoEnv.step and type(self).reset is GoEnv.reset

    def draw(self, figure: Any) -> None:
        """The board, the last move and the player to move."""
        state, model = self.state, self.model
        last, mover = int(state[model.area + LAST]), COLOURS[int(state[model.area + MOVER])]
        played = f"{vertex_of(last, model.size)}, " if last >= 0 else ""
        over = self._steps_left == 0
        draw_board(figure, model, state, "Go", f"{played}{'the end' if over else f'{mover} to move'}")

    def _playable(self, action: Any) -> Array:
        checked = super()._playable(np.atleast_1d(action))
        is_whole = np.asarray(action).dtype.kind != "b" and checked[0] == round(checked[0])
        require(is_whole, "action", action, f"a whole number from 0 to {self.model.area}")
        return np.array([float(check_move(self.model, self.path[-1], checked))])

    def _given_state(self, given: Any) -> Array:
        return super()._given_state(check_position(self.model, given))

    def _info(self) -> dict[str, Any]:
        return {"action_mask": legal_mask(self.model, self.path[-1])}
