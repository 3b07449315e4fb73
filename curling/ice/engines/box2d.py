"""The reference engine: stones as discs in Box2D, in steps of one millisecond (pybox2d, 0.1 to 0.2 s per shot).

Box2D 2.3 makes impacts below 1 unit/s perfectly inelastic, a fixed threshold. In metres it would affect most hits of
fcv1, whose world is therefore measured in decimetres; the simulator of dc2 has the same threshold and uses metres.
Unlike in the simulators stones are not "bullets": a step of fcv1 moves them at most 4 mm, less than the 15 mm by which
bullets may overlap. In dc2 it is up to 49 mm; its recorded shots, of up to 41 mm a step, are reproduced nevertheless.
"""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bonspiel.curling.ice.engines.base import Engine, Path
from bonspiel.curling.ice.engines.rates import TIME_STEP
from bonspiel.curling.ice.physics import (
    DC2_DECELERATION,
    DC2_TURN,
    FCV1_DRAG,
    FCV1_SPIN_LOSS,
    FCV1_STOP_SPEED,
    FCV1_TURN,
    Physics,
)
from bonspiel.curling.ice.sheet import STONE_MASS, STONE_RADIUS, STONES, no_stones, present
from bonspiel.planners.model import Array

with warnings.catch_warnings():
    # a warning about SWIG types; with warnings as errors it would crash the interpreter
    warnings.simplefilter("ignore", DeprecationWarning)
    try:
        import Box2D
    except ImportError as error:
        missing = "the engine box2d needs the package box2d, which exists for Python up to 3.13"
        raise ImportError(f"{missing}; the engine analytic plays the same physics") from error

Motion = Callable[[float, float, float, float], tuple[float, float, float]]
Bodies = dict[int, Any]  # by row of the stones


def fcv1_motion(vx: float, vy: float, spin: float, dt: float) -> tuple[float, float, float]:
    """(vx, vy, spin) of a sliding stone after dt seconds."""
    speed = math.hypot(vx, vy)
    a, b, c = FCV1_DRAG
    slower = speed - (a / (speed + b) + c) * dt
    lost = FCV1_SPIN_LOSS / max(speed, 0.001) * dt
    if slower < FCV1_STOP_SPEED:
        return 0.0, 0.0, 0.0
    k, p = FCV1_TURN
    turn = math.copysign(k * speed**p * dt, spin) if spin else 0.0
    along, across = slower * math.cos(turn) / speed, slower * math.sin(turn) / speed
    left = math.copysign(abs(spin) - lost, spin) if abs(spin) > lost else 0.0
    return along * vx - across * vy, along * vy + across * vx, left


def dc2_motion(vx: float, vy: float, spin: float, dt: float) -> tuple[float, float, float]:
    """(vx, vy, spin) of a sliding stone after dt seconds."""
    speed = math.hypot(vx, vy)
    slower = speed - DC2_DECELERATION * dt
    if slower <= 0.0:
        return 0.0, 0.0, 0.0
    push = math.copysign(DC2_TURN * dt, spin) if spin else 0.0
    scale = slower / (speed * math.hypot(slower, push))
    return scale * (slower * vx - push * vy), scale * (slower * vy + push * vx), spin


@dataclass(frozen=True)
class World:
    """Settings of Box2D for one physics."""

    units: float  # Box2D lengths in a metre
    iterations: tuple[int, int]  # of the velocity and the position solver in a step
    first: float  # seconds of friction before the first step
    motion: Motion  # effect of friction on a stone

    def build(self, law: Physics, stones: Array, index: int, velocity: Array, spin: float) -> tuple[Any, Bodies]:
        """A Box2D world with the stones, and its bodies."""
        world = Box2D.b2World(gravity=(0.0, 0.0), doSleep=True)
        radius = STONE_RADIUS * self.units
        density = STONE_MASS / (math.pi * radius * radius)
        bodies: Bodies = {}
        for row in sorted((*np.flatnonzero(present(stones)), index)):
            x, y = (0.0, 0.0) if row == index else stones[row]
            disc, friction = Box2D.b2CircleShape(radius=radius), law.impact_friction
            fixture = Box2D.b2FixtureDef(shape=disc, density=density, restitution=1.0, friction=friction)
            bodies[int(row)] = world.CreateDynamicBody(position=(x * self.units, y * self.units), fixtures=fixture)
        bodies[index].linearVelocity = (float(velocity[0]) * self.units, float(velocity[1]) * self.units)
        bodies[index].angularVelocity = spin
        return world, bodies

    def slow_down(self, bodies: Bodies, dt: float) -> bool:
        """Apply friction to every stone for dt seconds; whether any still moves."""
        moving = False
        for body in bodies.values():
            vx, vy = body.linearVelocity
            if vx or vy:
                vx, vy, spin = self.motion(vx / self.units, vy / self.units, body.angularVelocity, dt)
                body.linearVelocity = (vx * self.units, vy * self.units)
                body.angularVelocity = spin
                moving = moving or bool(vx or vy)
        return moving

    def places(self, bodies: Bodies) -> Array:
        """Places of the stones, [16, 2] in metres."""
        stones = no_stones()
        for row, body in bodies.items():
            stones[row] = body.position
        return stones / self.units


FCV1_WORLD = World(10.0, (8, 3), TIME_STEP, fcv1_motion)
WORLDS = {"fcv1": FCV1_WORLD, "dc2": World(1.0, (10, 10), 0.5 * TIME_STEP, dc2_motion), "dc4": FCV1_WORLD}


@dataclass(frozen=True)
class Box2DEngine(Engine):
    """Rigid body simulation, in the steps of the reference simulators."""

    def _run(self, stones: Array, index: int, velocity: Array, spin: float, every: int) -> Path:
        """Places of the stones at every n-th step (0: none) and at the end of the shot."""
        settings, limits = WORLDS[self.physics], self.law.limits
        side, back = limits.side * settings.units, limits.back * settings.units
        world, bodies = settings.build(self.law, stones, index, velocity, spin)
        times, places, step = [], [], 0
        moving = settings.slow_down(bodies, settings.first)
        while moving:
            if every and step % every == 0:
                times.append(step * TIME_STEP)
                places.append(settings.places(bodies))
            world.Step(TIME_STEP, *settings.iterations)
            step += 1
            for row, body in list(bodies.items()):
                x, y = body.position
                if abs(x) >= side or y >= back:
                    world.DestroyBody(bodies.pop(row))
            moving = settings.slow_down(bodies, TIME_STEP)
        return Path(np.array([*times, step * TIME_STEP]), np.array([*places, settings.places(bodies)]))

    def _in_play(self, stones: Array, index: int) -> Array:
        """The stones at rest, without those that the hog line or the back line removes."""
        kept, limits = stones.copy(), self.law.limits
        kept[kept[:, 1] > limits.back_at_rest] = np.nan
        short = kept[:, 1] <= limits.hog
        kept[short & (self.law.hog_removes_all | (np.arange(STONES) == index))] = np.nan
        return kept

    def _shots(self, stones: Array, index: int, velocities: Array, spins: Array, threads: int) -> Array:
        finals = np.empty((len(velocities), STONES, 2))
        for n, (velocity, spin) in enumerate(zip(velocities, spins, strict=True)):
            path = self._run(stones, index, velocity, float(spin), 0)
            finals[n] = self._in_play(path.positions[-1], index)
        return finals

    def _path(self, stones: Array, index: int, velocity: Array, spin: float) -> tuple[Array, Path]:
        path = self._run(stones, index, velocity, spin, round(self.path_interval / TIME_STEP))
        return self._in_play(path.positions[-1], index), path
