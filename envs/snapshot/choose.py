"""The choice of the way in which an environment is restored."""

from collections.abc import Callable, Iterator
from typing import Any

import gymnasium

from bonspiel.envs.snapshot.actions import TAKEN, parts_of
from bonspiel.envs.snapshot.box2d import by_box2d
from bonspiel.envs.snapshot.check import NoiseError, UnfaithfulError, check_restoring, reset, step
from bonspiel.envs.snapshot.copies.changes import carrying_changes
from bonspiel.envs.snapshot.copies.independence import NoCopyError, harm
from bonspiel.envs.snapshot.copies.making import by_make, deep_copy, headless_copy, sharing, with_views
from bonspiel.envs.snapshot.deep_copies import DeepCopies
from bonspiel.envs.snapshot.form import FailingError, FormError
from bonspiel.envs.snapshot.model import GymnasiumModel
from bonspiel.envs.snapshot.mujoco_batch import with_sequences
from bonspiel.envs.snapshot.mujoco_state import by_mujoco, by_mujoco_and_attributes
from bonspiel.envs.snapshot.objects import reaches_outside
from bonspiel.envs.snapshot.places import UnknownStateError
from bonspiel.envs.snapshot.pybullet import by_pybullet
from bonspiel.envs.snapshot.replay import Replay
from bonspiel.envs.snapshot.storage import Storage
from bonspiel.envs.snapshot.vector_state import by_attributes, by_get_state
from bonspiel.envs.snapshot.wrappers import action_space, inner_limit, is_stateless, time_limit, with_recorder
from bonspiel.planners.checks import require, require_count, require_positive
from bonspiel.planners.core.code.cache import say_once
from bonspiel.planners.core.code.errors import error_text


def from_gymnasium(
    env: gymnasium.Env[Any, Any],
    horizon: int | None = None,
    discount: float = 1.0,
    capacity: int = 100_000,
    max_bytes: int = 1_000_000_000,
) -> GymnasiumModel:
    """A model of a Gymnasium environment, for every planner that takes Python models.

    Before each step the environment is brought into the state to step from. The first of these ways is taken that
    passes a check: 20 steps of an environment that is never restored, and more as far as they fit into half a second,
    give the same observations, rewards and ends within 1e-9 as the model, which takes other steps in between.

    1. `get_state` and `set_state` of the environment or a wrapper, if its states are numeric.
    2. MuJoCo's state calls, for Gymnasium's own environments. Models with rewards in `envs.snapshot.REWARDS` also roll
       out many sequences at once, here and in 5, where a reward must read nothing else that changes.
    3. The attributes that `envs.snapshot.ATTRIBUTES` names, for Gymnasium's classic control.
    4. The memory of its Box2D world, for Gymnasium's LunarLander.
    5. MuJoCo's state calls with the numbers beside the simulator, wherever parts and wrappers hold them, as for
       own classes, dm_control and PointMaze. `observe` compares the rest with what it was at first, and raises a
       ValueError that names what has changed.
    6. States that PyBullet saves, and a replay of the steps since then.
    7. Deep copies, by number (slow).
    8. Replay of the episode from its reset (slower with every step), as for BipedalWalker.

    With the fourth, the sixth and the last, `env` gets a wrapper that records the episode, see `observe` and
    `envs.Recorded`. Costs: docs/guides/adding-an-environment.md.

    Wrappers that only transform actions, observations or rewards (`envs.snapshot.STATELESS`) are applied around the
    first four; with any other wrapper, the rest remain. `model.storage.name` is the way in use, `model.rejected` has
    the reasons against those before it. Noise must come from the environment's `np_random`, which its parts may hold:
    the noise of another generator would be the same in every copy, and known to a plan.

    Copies draw nothing and write no videos. Whether a deep copy leaves `env` alone is tried out in a child process,
    where the system can fork one; if it does not, as with simulators of PyBullet, gymnasium.make makes the copies.

    Examples:
        >>> import gymnasium, numpy as np
        >>> from bonspiel import planners
        >>> env = gymnasium.make("Pendulum-v1")
        >>> model, planner, rng = from_gymnasium(env), planners.make("random"), np.random.default_rng(1)
        >>> model.storage.name
        'attributes'
        >>> observation, _ = env.reset(seed=1)
        >>> decision = planner.plan(model, model.observe(env, observation), planners.Budget(simulations=10), rng)
        >>> observation, reward, *_ = env.step(model.action(decision.action))

    Args:
        env: any environment whose actions are a bounded Box, a Discrete, MultiDiscrete or MultiBinary space, or a Dict
            or Tuple of these; it is copied, not used. A choice is a categorical coordinate from 0 on, a binary number a
            boolean one, and a Box of integers has integer ones; `model.action` gives the item for `env.step`.
        horizon: largest number of steps, in place of that of a TimeLimit; the environment's own time limit if None.
        discount: discount factor of a step.
        capacity: number of deep copies or records to keep; more than a search takes steps between two visits of a node.
        max_bytes: that the deep copies of searches may take, or their memories of Box2D, and those of observed states;
            the oldest make room.

    Raises:
        ValueError: not an environment, or one with another action space; or there is no horizon; or it fails in its
            first steps, or cannot be restored.
    """
    single = "one gymnasium.Env, neither an id nor a vector of environments; pass gymnasium.make(id)"
    require(isinstance(env, gymnasium.Env), "env", env, single)
    for name in ("action_space", "observation_space"):
        if not hasattr(env, name):
            remedy = f"set self.{name} in its __init__, e.g. to gymnasium.spaces.Box(-1.0, 1.0, (1,))"
            raise ValueError(f"env={env}: must have an {name}; {remedy}")
    actions = action_space(env)
    remedy = f"{TAKEN}, for {env}; put a wrapper with such an action space around it"
    require(parts_of(actions) is not None, "action_space", actions, remedy)
    own = time_limit(env)
    limit = own if horizon is None else horizon
    require(limit is not None, "horizon", limit, f"given, since {env} has no time limit: pass horizon=STEPS")
    require_count("horizon", limit)
    if own is not None and int(limit or 0) > own and inner_limit(env) is None:
        say_once(f"horizon={limit} replaces the time limit of {env}, {own} steps")
    require_count("capacity", capacity)
    require_positive("discount", discount, 1.0)
    require_count("max_bytes", max_bytes)
    rejected: list[str] = []
    raising = True
    try:
        fresh, copies = _copier(env)
        for storage in _ways(fresh, copies, capacity, max_bytes, rejected):
            model = GymnasiumModel(storage, actions, env.observation_space, int(limit or 0), discount)
            try:
                check_restoring(model)
            except UnfaithfulError as reason:
                _check_form(storage.fresh(), model)
                rejected.append(f"{storage.name}: {reason}")
                raising = raising and reason.__cause__ is not None
                continue
            if isinstance(storage, Replay):
                with_recorder(env)
            model.rejected = rejected
            return with_sequences(model)
    except NoiseError as reason:
        remedy = f"from self.np_random; step() draws from {reason}, which a plan would know beforehand"
        raise ValueError(f"env={env}: must be one that draws all its noise {remedy}") from reason
    except FailingError as reason:
        raise ValueError(f"env={env}: must be an environment that runs; {reason}") from reason
    remedy = "give it get_state() and set_state() for all of its state, and draw its noise from self.np_random"
    if raising:
        raise ValueError(f"env={env}: must be one whose step() runs in every state, also in a copy ({rejected[-1]})")
    raise ValueError(f"env={env}: must be one that can be restored; {remedy} ({'; '.join(rejected)})")


def _check_form(env: Any, model: GymnasiumModel) -> None:
    """Refuse what a step gives, if it is not as Gymnasium has it, rather than call it a fault of restoring.

    Raises:
        FormError: see above.
    """
    try:
        reset(env, seed=0)
        step(env, model.action(model.action_low))
    except FormError:
        raise
    except FailingError:
        return


def _ways(
    fresh: Callable[[], Any], copies: bool, capacity: int, max_bytes: int, rejected: list[str]
) -> Iterator[Storage]:
    """The ways to restore that may do, the cheap ones first; deep copies if there are any."""
    example = fresh()
    reset(example, seed=0)
    if storage := by_get_state(fresh, example):
        yield storage
    if is_stateless(example):
        for by_vectors in (by_mujoco, by_attributes):
            if storage := by_vectors(fresh, example):
                yield storage
        if worlds := by_box2d(fresh, example, capacity, max_bytes):
            yield worlds
    simulators: dict[str, Callable[[], Storage | None]] = {
        "MuJoCo and attributes": lambda: by_mujoco_and_attributes(fresh, example),
        "PyBullet": lambda: by_pybullet(fresh, example, capacity),
    }
    for name, by_simulator in simulators.items():
        try:
            if found := by_simulator():
                yield found
        except UnknownStateError as reason:
            rejected.append(f"{name}: {reason}")
    if copies:
        yield DeepCopies(fresh, capacity, max_bytes)
    yield Replay(fresh, capacity, again=True)
    yield Replay(fresh, capacity, again=False)


def _copier(env: Any) -> tuple[Callable[[], Any], bool]:
    """Makes copies of an environment without transparent wrappers, and whether these are deep copies.

    Raises:
        ValueError: there are none that leave it alone.
    """
    try:
        reason = harm(env, headless_copy)
        if reason is None:
            pristine = headless_copy(env)
            groups = sharing(pristine)
    except Exception as error:
        reason = str(error) if isinstance(error, NoCopyError) else error_text(error)
    if reason is None:
        return carrying_changes(env, lambda: deep_copy(pristine, with_views(groups))), True
    if env.spec is None:
        remedy = "one that can be copied, or that gymnasium.make() made"
        raise ValueError(f"env={env}: must be {remedy} ({reason})")
    make = by_make(env)
    if not reaches_outside(env) and (harmed := harm(env, lambda _: make())) is not None:
        raise ValueError(f"env={env}: must be one that shares no state with others of its kind ({harmed})")
    return carrying_changes(env, make), False
