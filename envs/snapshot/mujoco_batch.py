"""Many sequences of actions at once in environments of MuJoCo, on all cores of the process."""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import gymnasium
import numpy as np
from numpy.typing import NDArray

from bonspiel.envs.role_checks import check_sequence_returns
from bonspiel.envs.snapshot.model import GymnasiumModel
from bonspiel.envs.snapshot.mujoco_rewards import REWARDS
from bonspiel.envs.snapshot.vector_state import VectorState
from bonspiel.envs.snapshot.wrappers import layers_of
from bonspiel.planners.core.code.errors import error_text
from bonspiel.planners.model import Array, Rng

ROWS = 256  # sequences that a thread simulates side by side, for the sake of memory
RESTORED = "MuJoCo", "MuJoCo and attributes"  # ways in which the simulator is
BLOCK = 5  # steps of all of them, after which those that have ended are left out


def with_sequences(model: GymnasiumModel) -> GymnasiumModel:
    """The model with `sequence_returns`, if its environment is one of REWARDS and single steps give the same.

    They might not, as versions of Gymnasium differ; then `rejected` says how.
    """
    if model.storage.name not in RESTORED:
        return model
    *layers, base = layers_of(cast(VectorState, model.storage).env)
    plain = gymnasium.ObservationWrapper.step  # which leaves actions and rewards alone
    if _name(base) not in REWARDS or any(type(layer).step is not plain for layer in layers):
        return model
    batched, rng = MujocoModel.of(model), np.random.default_rng(0)
    try:
        check_sequence_returns(batched, batched.initial_state(rng), rng)
    except Exception as error:  # whatever a reward of a user raises
        model.rejected.append(f"sequences at once: {error_text(error)}")
        return model
    return batched


def threads_allowed() -> int:
    """The cores of this process; fewer where OMP_NUM_THREADS says so, as joblib and clusters do in their workers."""
    import joblib

    limit, cores = os.environ.get("OMP_NUM_THREADS", ""), int(joblib.cpu_count())
    return max(1, min(cores, int(limit))) if limit.isdecimal() else cores


class MujocoModel(GymnasiumModel):
    """A model of an environment of MuJoCo that rolls out many sequences of actions at once."""

    _data: list[Any] | None = None  # of MuJoCo, one for each thread

    @classmethod
    def of(cls, model: GymnasiumModel) -> "MujocoModel":
        """The same model."""
        batched = cls(model.storage, model._actions, model._observations, model.horizon, model.discount)
        batched.rejected = model.rejected
        return batched

    def __getstate__(self) -> dict[str, Any]:
        """Without what is soon made again."""
        return self.__dict__ | {"_data": None}

    def sequence_returns(self, state: Array, actions: Array, params: Array, rng: Rng) -> Array:
        """Rewards, [n, steps], 0 after the end, of actions, [n, steps, action_dim], for any number of threads.

        `rng` moves on as by `step`, so that a search decides the same.
        """
        with self._turns:
            return self._sequence_returns(state, actions, rng)

    def _sequence_returns(self, state: Array, actions: Array, rng: Rng) -> Array:
        env = cast(VectorState, self.storage).load(state[self._snapshot], rng).unwrapped
        taken = np.clip(actions, self.action_low, self.action_high).astype(self._dtype)
        n, rewards, due = len(taken), np.zeros(taken.shape[:2]), np.ones(taken.shape[:2], bool)
        threads = min(threads_allowed(), n)
        size = min(ROWS, -(-n // threads))
        chunks = [slice(first, first + size) for first in range(0, n, size)]
        self._data = made = self._data or []
        made += [type(env.data)(env.model) for _ in range(threads - len(made))]

        def work(worker: int) -> None:
            simulation = Simulation(env, made[worker])
            for chunk in chunks[worker::threads]:
                simulation.roll_out(taken[chunk], rewards[chunk], due[chunk])

        if threads == 1:
            work(0)
        else:
            with ThreadPoolExecutor(threads) as pool:  # MuJoCo's steps leave Python's lock to the others
                list(pool.map(work, range(threads)))
        rng.random(int(due.sum()))  # the numbers of their snapshots
        return rewards


class Simulation:
    """Steps of MuJoCo from the state of an environment, which stays as it is.

    They are those of the environment to the bit, as fast as mujoco.rollout within a tenth, and end where an episode
    does; mujoco.rollout has no contact forces, and not the places of bodies that `step` sees.

    Args:
        env: innermost environment, in the state to begin with.
        data: MuJoCo's for its model, to take steps with.
    """

    def __init__(self, env: Any, data: Any) -> None:
        import mujoco

        self.lib, self.env, self.model, self.data = mujoco, env, env.model, data
        self.function, self.fields = REWARDS[_name(env)]
        self.kind = mujoco.mjtState.mjSTATE_INTEGRATION
        self.start = np.empty(mujoco.mj_stateSize(env.model, self.kind))
        mujoco.mj_getState(env.model, env.data, self.start, self.kind)

    def roll_out(self, actions: Array, rewards: Array, due: Array) -> None:
        """Roll out sequences of actions.

        Args:
            actions: as the environment takes them, [n, steps, action_dim].
            rewards: receives them, [n, steps]; 0 from before, it stays so after the end.
            due: True from before, [n, steps]; False is written to steps after the end.
        """
        n, steps, _ = actions.shape
        states, rows = np.tile(self.start, (n, 1)), np.arange(n)
        seen = {name: np.repeat(getattr(self.env.data, name)[None, None], n, axis=0) for name in self.fields}
        for first in range(0, steps, BLOCK):
            taken = actions[rows, first : first + BLOCK]
            seen = self._steps(states, seen, taken)
            found, ended = self.function(self.env, seen, taken)
            going: NDArray[np.bool_] = np.cumsum(ended, axis=1) - ended == 0
            rewards[rows, first : first + BLOCK] = np.where(going, found, 0.0)
            due[rows, first : first + BLOCK] = going
            left = ~ended.any(1)
            due[rows[~left], first + BLOCK :] = False
            rows, states, seen = rows[left], states[left], {name: values[left] for name, values in seen.items()}
            if len(rows) == 0:
                break

    def _steps(self, states: Array, before: dict[str, Array], actions: Array) -> dict[str, Array]:
        """Simulate from `states`, [n, state], which it updates.

        Returns:
            The fields before the first step, which are the last of `before`, and after each one, [n, steps + 1, ...].
        """
        lib, model, data, controls, substeps = self.lib, self.model, self.data, self.data.ctrl, self.env.frame_skip
        n, steps, _ = actions.shape
        seen, pairs = {}, []
        for name in self.fields:
            seen[name] = np.empty((n, steps + 1, *before[name].shape[2:]))
            seen[name][:, 0] = before[name][:, -1]
            pairs.append((seen[name], getattr(data, name)))
        for i in range(n):
            lib.mj_setState(model, data, states[i], self.kind)
            for t in range(steps):
                controls[:] = actions[i, t]
                lib.mj_step(model, data, substeps)
                if "cfrc_ext" in seen:
                    lib.mj_rnePostConstraint(model, data)
                for values, field in pairs:
                    values[i, t + 1] = field
            lib.mj_getState(model, data, states[i], self.kind)
        return seen


def _name(env: Any) -> str:
    """The key of an environment in REWARDS."""
    return f"{type(env).__module__}:{type(env).__qualname__}"
