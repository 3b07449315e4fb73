"""Copies of environments that are shown or filmed: they draw nothing, and search as if nobody watched."""

import os
import sys
import types

import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers

from bonspiel import envs, planners
from bonspiel.envs.snapshot.copies.making import by_make, deep_copy, headless_copy
from tests.envs.snapshot.toys import Noisy

pygame = pytest.importorskip("pygame")


class Counted(gymnasium.Wrapper):
    """A wrapper with a state."""

    def reset(self, **options):
        self.steps = 0
        return super().reset(**options)

    def step(self, action):
        self.steps += 1
        return super().step(action)


class Shown(Noisy):
    """Draws each step, as environments of pygame do, on what cannot be copied, and asks nobody whether it may."""

    drawn = 0

    def __init__(self, render_mode="human"):
        self.render_mode = render_mode
        self.clocks = {"parts": [pygame.time.Clock()]}
        self.pygame = pygame

    def step(self, action):
        if self.render_mode == "human":
            self.render()
        return super().step(action)

    def render(self):
        Shown.drawn += 1
        return np.zeros((4, 4, 3), np.uint8)


class ShownAlways(Shown):
    def step(self, action):
        self.render()
        return Noisy.step(self, action)


class Shared(Noisy):
    """Shows one array in several ways."""

    def __init__(self):
        self.memory = np.zeros((3, 4), order="F")
        self.parts = {"last": self.memory[::-1, 1:], "fixed": self.memory[:]}
        self.parts["fixed"].flags.writeable = False

    def reset(self, **options):
        self.memory[:] = 0.0
        return super().reset(**options)

    def step(self, action):
        self.memory += np.arange(12.0).reshape(3, 4)
        observation, _, *rest = super().step(action)
        return observation, self.parts["last"][0, 0] + self.parts["fixed"].sum(), *rest


def test_arrays_that_share_memory_share_it_in_a_copy():
    env = Shared()
    model = envs.from_gymnasium(env, horizon=30)
    assert model.storage.name == "replay"
    copied = headless_copy(env)
    for one in (copied, model.env.env):
        one.reset(seed=1)
        one.memory[:] = 1.0 + np.arange(12.0).reshape(3, 4)
        np.testing.assert_array_equal(one.parts["last"], one.memory[::-1, 1:])
        np.testing.assert_array_equal(one.parts["fixed"], one.memory)
        assert not one.parts["fixed"].flags.writeable and not env.memory.any()


@pytest.fixture(autouse=True)
def without_a_screen(monkeypatch, tmp_path):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    Shown.drawn = 0
    yield
    pygame.quit()


@pytest.fixture
def films(monkeypatch):
    """The films that moviepy would write, each with its number of pictures."""
    written = []

    class ImageSequenceClip:
        def __init__(self, pictures, fps):
            written.append(len(pictures))

        def write_videofile(self, path, logger):
            pass

    for name in ("moviepy", "moviepy.video", "moviepy.video.io", "moviepy.video.io.ImageSequenceClip"):
        module = types.ModuleType(name)
        module.ImageSequenceClip = ImageSequenceClip
        monkeypatch.setitem(sys.modules, name, module)
    return written


def decide(env, model, simulations=20):
    """The steps of an episode with a search before each of them."""
    observation, _ = env.reset(seed=1)
    actions = []
    for steps in range(3):
        state, rng = model.observe(env, observation, steps), np.random.default_rng(steps)
        actions.append(planners.make("cem", lookahead=4).plan(model, state, planners.Budget(simulations), rng).action)
        observation, *_ = env.step(model.action(actions[-1]))
    return np.array(actions)


@pytest.mark.parametrize("cls", [Shown, ShownAlways])
@pytest.mark.parametrize("wrap", [lambda env: env, Counted, wrappers.NormalizeObservation])
def test_a_search_draws_nothing(cls, wrap):
    env, unseen = wrap(cls()), wrap(Noisy())
    model = envs.from_gymnasium(env, horizon=30)
    assert Shown.drawn == 0
    found = decide(env, model)
    assert Shown.drawn == 3, "the steps of the environment itself"
    np.testing.assert_array_equal(found, decide(unseen, envs.from_gymnasium(unseen, horizon=30)))


def pendulum(mode="rgb_array"):
    return gymnasium.make("Pendulum-v1", render_mode=mode)


def test_copies_close_no_window():
    class Closing(ShownAlways):
        def close(self):
            pygame.quit()

    env = Counted(Closing())
    pygame.display.init()
    envs.from_gymnasium(env, horizon=30)
    headless_copy(env).close()
    assert pygame.display.get_init()


WATCHED = {
    "human": (lambda: pendulum("human"), lambda env: env, "attributes"),
    "shown": (lambda: wrappers.HumanRendering(pendulum()), lambda env: env, "attributes"),
    "collected": (lambda: wrappers.RenderCollection(pendulum()), lambda env: env, "attributes"),
    "noise in pictures": (lambda: wrappers.AddWhiteNoise(pendulum(), 0.5), lambda env: env, "attributes"),
    "counted": (lambda: wrappers.RecordEpisodeStatistics(pendulum()), lambda env: env, "attributes"),
    "human beneath a state": (lambda: Counted(pendulum("human")), Counted, "deep copies"),
    "shown above a state": (lambda: wrappers.HumanRendering(Counted(pendulum())), Counted, "deep copies"),
    "collected beneath a state": (lambda: Counted(wrappers.RenderCollection(pendulum())), Counted, "deep copies"),
}


@pytest.mark.parametrize(("make", "wrap", "way"), WATCHED.values(), ids=WATCHED)
def test_who_watches_changes_no_decision(make, wrap, way):
    env, unseen = make(), wrap(gymnasium.make("Pendulum-v1"))
    env.reset(seed=5)
    env.step(env.action_space.sample())
    model = envs.from_gymnasium(env)
    assert model.storage.name == way
    np.testing.assert_array_equal(decide(env, model), decide(unseen, envs.from_gymnasium(unseen)))
    env.close()


@pytest.mark.parametrize("wrap", [lambda env: env, Counted])
def test_only_the_environment_itself_is_filmed(wrap, films, tmp_path):
    film = wrappers.RecordVideo(pendulum(), str(tmp_path / "films"), episode_trigger=lambda episode: True)
    env = wrap(film)
    decide(env, envs.from_gymnasium(env))
    assert len(film.recorded_frames) == 4 and films == []
    env.close()
    assert films == [4]


def test_an_environment_that_is_copied_by_its_arguments_stays_closed():
    env = gymnasium.make("BipedalWalker-v3", render_mode="human")
    model = envs.from_gymnasium(env)
    assert not pygame.display.get_init() and model.env.unwrapped.render_mode is None
    assert env.unwrapped.render_mode == "human"


def test_pictures_that_are_observed_are_drawn():
    env = wrappers.AddRenderObservation(pendulum())
    picture, _ = env.reset(seed=1)
    copied = deep_copy(headless_copy(env))
    assert copied.reset(seed=2)[0].tolist() != picture.tolist()
    assert copied.reset(seed=1)[0].tolist() == picture.tolist() == env.render().tolist()
    env.close()


def test_functions_that_use_their_environment_use_the_copy():
    class Far(Noisy):
        def __init__(self):
            self.distance = lambda: abs(self.x)

    env = Far()
    wrapped = wrappers.TransformReward(env, lambda reward: -env.distance())
    wrapped.reset(seed=1)
    copied = deep_copy(headless_copy(wrapped))
    copied.unwrapped.x = 70.0
    assert copied.unwrapped.distance() == 70.0 and env.distance() < 70.0
    assert copied.step(np.zeros(1))[1] < -60.0 < wrapped.step(np.zeros(1))[1]


def test_others_are_made_without_window_and_films(films, tmp_path):
    films_folder = tmp_path / "films"
    env = wrappers.RecordVideo(Reset(pendulum()), str(films_folder))
    films_folder.rmdir()
    made = by_make(env)()
    assert isinstance(made, Reset) and type(made.env) is wrappers.TimeLimit and made.env.env is made.unwrapped
    assert not os.path.exists(films_folder)
    assert by_make(pendulum("human"))().render_mode is None


class Reset(gymnasium.Wrapper, gymnasium.utils.RecordConstructorArgs):
    """A wrapper that gymnasium.make knows how to make."""

    def __init__(self, env):
        gymnasium.utils.RecordConstructorArgs.__init__(self)
        super().__init__(env)


def test_what_gymnasium_cannot_make_again_gets_a_line():
    with pytest.raises(ValueError, match=r"^env=<Counted.*gymnasium.make\(\) makes \(ValueError:.*Counted") as caught:
        by_make(Counted(pendulum()))()
    assert "\n" not in str(caught.value)
