"""bonspiel/Curling-v0: a match of curling, or one end, as a Gymnasium environment."""

import copy
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from bonspiel import planners
from bonspiel.curling import make_engine
from bonspiel.curling.checks import check_match_state
from bonspiel.curling.dynamics import release
from bonspiel.curling.env.picture import Scene, draw_scene
from bonspiel.curling.ice.engines import Path
from bonspiel.curling.ice.engines import names as engine_names
from bonspiel.curling.ice.sheet import STONES, TEAM_STONES
from bonspiel.curling.match.state import HAMMER, LEAD, TIME, row_of, stones_of, team_of
from bonspiel.curling.model import Curling
from bonspiel.envs import draw
from bonspiel.envs.base import ModelEnv
from bonspiel.planners.checks import require, require_choice
from bonspiel.planners.contract.decisions import checked_plan
from bonspiel.planners.model import Array
from bonspiel.planners.planner import Budget, Planner

FLIGHT_FRAMES = 24  # pictures of a shot in human mode


def _model_class(engine: str) -> type[Curling]:
    """`curling.model.Curling` for the engine "analytic", its Python twin for "box2d"."""
    require_choice("engine", engine, engine_names())
    if engine == "analytic":
        return Curling
    from bonspiel.curling.box2d_model import Box2DCurling

    return Box2DCurling


class CurlingEnv(ModelEnv):
    """A match of curling, or a single end of it, with noisy throws.

    ## Description
    Two teams throw eight stones each, in turns. The team whose stone is nearest the tee scores one for each of its
    stones in the house that is nearer than every stone of the other team. Team 1 has the hammer (the last stone) in the
    first end; then the scorer loses it. Stones move as in the Digital Curling servers.

    ## Action Space
    `Box(-1, 1, (3,), float64)`: the velocity aimed at, vx (to the right) and vy (towards the house), and spin, whose
    sign is the rotation: 0 or more is counter-clockwise and curls to the left. vx of -1..1 is -0.4..0.4 m/s, vy is
    2..4 m/s ("dc2": -4..4 and 26..48.79), since Gymnasium advises to keep actions within [-1, 1]; with
    `velocity_unit="m/s"`, as in `curling.model.Curling()`, they are in m/s. `env.unwrapped.model.aim(vx, vy, spin)`
    gives the action in either unit.

    ## Observation Space
    `Box(35)`; lengths in metres from the release point.

    | Index | Observation |
    |---|---|
    | 0 | shots thrown in the match; mod 16: the number of the next shot in its end |
    | 1 | the team (0 or 1) with the hammer |
    | 2 | points of team 0 less those of team 1 |
    | 3 + 2 i, 4 + 2 i | x and y of stone i; 0-7 are team 0's, 8-15 team 1's; (0, 0) where absent |

    In mixed doubles, `Box(38)`: shots are numbered 6 to 15 in their end, and there follow

    | Index | Observation |
    |---|---|
    | 35 | the team (0 or 1) that decided the set-up of the end |
    | 36 + team | 1 while the team may still have its power play, else 0 |

    ## Transition Dynamics
    The throw differs from the aim by the noise. Stones slide, curl and collide; those that touch a side line, cross
    the back line or stop short of the hog line are removed. Under the free guard zone rule a shot that removes a
    guard of the opponent early in the end is undone.

    In mixed doubles teams throw five stones each. Every end begins with a stone of each team set up, as is best for the
    team that decides (`curling.match.mixed_doubles`); stones that were set up score too, and the first three shots may
    remove no stone at all.

    ## Rewards
    Points of team 0 less those of team 1 when an end is over; with `reward="win"` 1, 1/2 or 0 when the match is; with
    `reward="win_probability"` team 0's probability to win the match when the end is over.

    ## Starting State
    An empty sheet, team 0 to throw; or `reset(options={"state": state})`, see `curling.match.state.state_of`. A state
    that cannot occur in a match (`curling.checks.check_match_state`) is refused.

    ## Episode End
    Terminates with the last shot of the last end, and after extra ends, if any, when one side leads. With
    `reward="win_probability"` an episode is one end.

    ## Arguments
    Those of `curling.model.Curling` and of the environment, by name:

    * `ends` (default 1) and `extra_ends` (default 0): the most extra ends after a tie.
    * `rule` (default None, that of the physics: "five_rock" for "fcv1", "four_rock" for "dc2"): or "no_tick", "none".
    * `noise` (default None, that of the physics: "normal_dist" for "fcv1", "dc2" for "dc2"): or "none"; for "dc2" also
      "gat", for the others "human"; or a `curling.ice.noise.Noise`.
    * `physics` (default "fcv1"): or "dc2", "dc4".
    * `engine` (default "analytic"): or "box2d", the slow reference.
    * `velocity_unit` (default "box"): or "m/s".
    * `reward` (default "points"): or "win", "win_probability".
    * `tie` (default 0.5): value of a tie with no end left to the team that would have the hammer next, for the rewards
      "win" and "win_probability".
    * `table` (default None, from self-play under this physics): scores of ends, for the win probability; "thesis",
      the name of a file, see `curling.match.value.load_table`, 17 numbers, or "network", what the learned weights
      expect with each lead, in the game that they are for.
    * `game` (default "standard"): or "mixed_doubles"; `CurlingMixedDoubles-v0` is that with `physics` "dc4".
    * `pattern` (default 0): place of the guards that are set up in mixed doubles, 0 to 5.
    * `opponent` (default None): with None each step is a shot of the team whose turn it is. A planner, or one in
      writing such as "random" or "dpw:exploration=1", throws for team 1, and a step lasts until team 0's next turn. It
      plans on the analytic engine, whatever `engine` is, and unless `reward` is "points", to the end of each end
      (`curling.model.Curling.planning`).
    * `opponent_simulations` (default 1000): the opponent's budget for a shot.
    * `render_mode`: "rgb_array", "human" or None.

    ## Version History
    * v0: first version.
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array"], "render_fps": 24}  # noqa: RUF012
    model: Curling

    def __init__(
        self,
        *,
        engine: str = "analytic",
        opponent: str | Planner | None = None,
        opponent_simulations: int = 1000,
        render_mode: str | None = None,
        **match: Any,
    ) -> None:
        """Make the model, its environment and the opponent; `match` are the arguments of `curling.model.Curling`.

        Raises:
            ValueError: an argument that is not allowed; the message names it.
        """
        match = {"velocity_unit": "box"} | match
        super().__init__(_model_class(engine)(**match), render_mode)
        self.opponent = planners.parse(opponent) if isinstance(opponent, str) else opponent
        plays = self.opponent is None or callable(getattr(self.opponent, "plan", None))
        require(plays, "opponent", opponent, "None, a planner, or one in writing such as 'random'")
        twin = Curling(**match)  # searches need a compiled model
        self._planned = twin if twin.reward == "points" else twin.planning()
        self.budget = Budget(simulations=opponent_simulations)
        self._engine = make_engine(engine, self.model.physics)
        self._opponent_rng = np.random.default_rng(0)
        self._final: Array | None = None  # stones at the end of the last shot, before any rule
        self._flight: Path | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begin a match; see `gymnasium.Env.reset`."""
        self._final = self._flight = None
        super().reset(seed=seed, options=options)
        # the opponent must not shift the noise of the throws, whatever it draws
        self._opponent_rng = np.random.default_rng(self.np_random.integers(2**63))
        own_turn = self.opponent is None or team_of(self.state) == 0
        require(own_turn, "state", self.state, "one in which team 0 throws next, since the opponent is team 1")
        return self.state, self._info()

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Throw a stone; an opponent then throws until it is team 0's turn again."""
        total, over = self._throw(action)
        while self.opponent is not None and not over and team_of(self.state) == 1:
            decision = checked_plan(self.opponent, self._planned, self.state, self.budget, self._opponent_rng)
            reward, over = self._throw(decision.action)
            total += reward
        return self.state, total, over, False, self._info()

    @property
    def plays_its_model(self) -> bool:
        """True without an opponent; see `ModelEnv`."""
        own = type(self).step is CurlingEnv.step and type(self).reset is CurlingEnv.reset
        return own and self.opponent is None

    def _given_state(self, given: Any) -> Array:
        return check_match_state(self.model, given)

    def _throw(self, action: Array) -> tuple[float, bool]:
        if self.render_mode is not None:
            self._final, self._flight = self._fly(self._playable(action), copy.deepcopy(self.np_random))
        _, reward, terminated, truncated, _ = super().step(action)
        return reward, terminated or truncated

    def _fly(self, action: Array, rng: np.random.Generator) -> tuple[Array, Path]:
        """The shot that the model is about to play with the same draws, with its paths."""
        vx, vy, spin = release(self.state, action, self.model.params, rng)
        return self._engine.unchecked_path(stones_of(self.state), row_of(self.state), np.array([vx, vy]), spin)

    def _info(self) -> dict[str, Any]:
        return {"team": team_of(self.state), "points": self.points}

    @property
    def points(self) -> tuple[int, int]:
        """Points of each team in this match."""
        ends = np.diff([0.0, *(state[LEAD] for state in self.path)])
        return int(ends[ends > 0.0].sum()), int(-ends[ends < 0.0].sum())

    def scene(self) -> Scene:
        """The content of the picture; after the last shot of an end, with a render mode, its stones stay."""
        state, ends, first = self.state, self.model.ends, self.model.first_shot
        end, shot = divmod(int(state[TIME]), STONES)
        between = shot <= first and len(self.path) > 1
        thrown, hammer = (STONES, int(self.path[-2][HAMMER])) if between else (shot, int(state[HAMMER]))
        end -= between
        left = TEAM_STONES - (thrown + 1) // 2, TEAM_STONES - thrown // 2
        name = f"end {end + 1} of {ends}" if end < ends else f"extra end {end - ends + 1}"
        following = f"shot {shot - first + 1} of {self.model.end_shots} next"
        return Scene(
            sheet=self.model.law.sheet,
            stones=self._final if between and self._final is not None else stones_of(state),
            paths=None if self._flight is None else self._flight.positions,
            points=self.points,
            hammer=hammer,
            left=left if hammer == 1 else left[::-1],
            caption=f"{name}, {'after the last shot' if between else following}",
        )

    def draw(self, figure: Any) -> None:
        """The house from above, the way of the last shot, the score, the hammer and the stones left to throw."""
        draw_scene(figure, self.scene())

    def _show(self) -> None:
        """In human mode, play the last shot, then show its outcome."""
        if self.render_mode == "human" and self._flight is not None:
            self._window = self._window or draw.Window(self.metadata["render_fps"])
            positions, scene = self._flight.positions, self.scene()
            seen = (positions[:, :, 1] > scene.sheet.hog_line).any(axis=1)
            for frame in np.linspace(int(seen.argmax()), len(positions) - 1, FLIGHT_FRAMES).astype(int):
                moment = replace(scene, stones=positions[frame], paths=positions[: frame + 1])
                self._window.show(draw.paint(partial(draw_scene, scene=moment)))
        super()._show()


def mixed_doubles(**arguments: Any) -> CurlingEnv:
    """CurlingMixedDoubles-v0: `CurlingEnv` of mixed doubles, with the limits of play of Digital Curling 4."""
    return CurlingEnv(**mixed_doubles_arguments(arguments))


mixed_doubles.metadata = CurlingEnv.metadata  # type: ignore[attr-defined]  # Gymnasium adds lists of pictures by it


def mixed_doubles_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `CurlingEnv` for a match of mixed doubles.

    Raises:
        ValueError: they name another game.
    """
    game = given.get("game", "mixed_doubles")
    require(game == "mixed_doubles", "game", game, "'mixed_doubles'")
    return {"physics": "dc4", **given, "game": game}
