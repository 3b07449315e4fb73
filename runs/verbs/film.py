"""The verb `film`: an episode as an animated picture."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bonspiel.runs.experiment import parsed
from bonspiel.runs.files import check_writable, unused, writing
from bonspiel.runs.verbs.command_line import DONE, Verb, add_decision, prepared
from bonspiel.runs.verbs.options import option

if TYPE_CHECKING:
    from bonspiel.envs.base import ModelEnv

WIDTH = 360  # pixels
COLOURS = 48
FILMS = ".gif", ".png", ".webp"
LONGEST_SECONDS = 6.0
LAST_SECONDS = 1.5  # for which the last picture stays


def film(arguments: argparse.Namespace) -> int:
    """Play an episode and write its pictures as an animated GIF."""
    from bonspiel.planners.contract.decisions import CheckedSearch
    from bonspiel.runs.draws import named_rng
    from bonspiel.runs.runner.episode import failures_named
    from bonspiel.runs.suite import model_of

    out: Path = arguments.out or unused("film", FILMS[0])
    check_writable(out, FILMS)
    model_of(arguments.env)  # which refuses one that is not sound
    env = environment(arguments.env)
    planner, budget, seed = prepared(arguments, env.model)
    rng, frames, over = named_rng(f"film|{arguments.planner}", seed, 0), [], False  # not the draws of the environment
    env.reset(seed=seed)
    with failures_named(arguments.planner, arguments.env):
        search = CheckedSearch(planner, env.model)
    while True:
        frames.append(env.render())
        if over:
            break
        with failures_named(arguments.planner, arguments.env):
            action = search.plan(env.state, budget, rng).action
            search.played(action)
            _, _, terminated, truncated, _ = env.step(action)
        over = terminated or truncated
    every = 1 + int(len(frames) / (LONGEST_SECONDS * env.metadata["render_fps"]))
    shown = [_small(frame) for frame in [*frames[:-1:every], frames[-1]]]
    times = [round(1000.0 / env.metadata["render_fps"])] * (len(shown) - 1) + [round(1000.0 * LAST_SECONDS)]
    out = arguments.out or unused("film", FILMS[0])  # another one may have been written meanwhile
    with writing(out):
        shown[0].save(out, save_all=True, append_images=shown[1:], duration=times, loop=0, optimize=True)
    total = sum(reward * env.model.discount**step for step, reward in enumerate(env.rewards))
    print(f"return {total:.3f} in {len(env.rewards)} steps\nfilm   {out}")
    return DONE


def _small(frame: Any) -> Any:
    from PIL import Image

    picture = Image.fromarray(frame)
    small = picture.resize((WIDTH, picture.height * WIDTH // picture.width), Image.Resampling.LANCZOS)
    return small.convert("P", palette=Image.Palette.ADAPTIVE, colors=COLOURS)


def environment(text: str) -> "ModelEnv":
    """The environment of a text with its own picture; of a model from elsewhere, one that plots the states."""
    from bonspiel import envs
    from bonspiel.envs.base import ModelEnv
    from bonspiel.planners.core.code.packages import load
    from bonspiel.planners.core.text import read

    model: Any = parsed(envs.parse, text)
    name, parameters = read(text)
    place = envs.IDS[envs.env_id(name)] if name in envs.names() else ""
    if not place:
        return ModelEnv(model, "rgb_array")
    parameters.pop("lookahead", None)
    env: ModelEnv = load(place)(**parameters, render_mode="rgb_array")
    env.model = model
    return env


def add_verbs(verb: Verb) -> None:
    """Add the verb to the command line."""
    example = "bonspiel film pendulum --planner icem --budget 500 --out pendulum.gif"
    command = verb("film", film, "play one episode and write it as an animated GIF", example)
    add_decision(command, "dpw", 300)
    text = "file for the film, GIF, PNG or WebP (default: film.gif, or film-2.gif, ... if that exists)"
    option(command, "--out", "FILE", text)
