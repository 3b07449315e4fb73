"""The free path of a stone as tables, which compiled code shares.

Between impacts, the rates of speed, heading and spin depend on the speed alone. Every free path is therefore a piece of
one universal curve, tabulated over the time left until the stop (time-to-stop tau); a moving stone is described by the
position of the curve on the sheet. In the frame of the curve the stop is the origin, the stone arrives along +x and
spins counter-clockwise; at tau it is at (-X(tau), Y(tau)). Clockwise spin mirrors the curve in the x-axis; without spin
the stone is at (-S(tau), 0), with S the arc length.

With v the speed, a(v) the deceleration, g(v) the rate of turning and l(v) the loss of spin:

    tau = integral dv / a        S = integral v dv / a        spin lost W = integral l dv / a
    heading left H = integral g dv / a        X = integral v cos(H) dv / a        Y = integral v sin(H) dv / a

All tables hold cubic polynomials on cells of equal length, coefficients in rising powers of the place in the cell. They
are kept on disk: processes that find them there need not import scipy's integration, which takes half a second.
"""

import functools
import sys

import numpy as np

from bonspiel.curling.ice import physics, sheet
from bonspiel.curling.ice.engines import rates
from bonspiel.curling.ice.engines.rates import RATES
from bonspiel.curling.ice.physics import DC2_STOP_SPEED, FCV1_STOP_SPEED, LAWS, Physics
from bonspiel.planners.core.values import cached
from bonspiel.planners.jit import table
from bonspiel.planners.model import Array

CURVE_CELLS = 1024
INVERSE_CELLS = 512
QUADRATURE_STEPS = 1 << 15
START_SPEED = 1e-6  # m/s, start of the quadrature
HEADROOM = 1.1  # range of the tables over the cap on aims, for noise and for spin that impacts turn into speed


def hermite_cells(values: Array, slopes: Array, step: float) -> Array:
    """Cubics through values and slopes at equally spaced nodes, [nodes - 1, 4]."""
    y0, y1, m0, m1 = values[:-1], values[1:], slopes[:-1] * step, slopes[1:] * step
    return np.stack([y0, m0, 3.0 * (y1 - y0) - 2.0 * m0 - m1, 2.0 * (y0 - y1) + m0 + m1], 1)


def _monotone_cells(x: Array, y: Array, nodes: Array) -> Array:
    """Monotone cubics of y(x) on the cells between equally spaced nodes, from dense samples."""
    from scipy.interpolate import PchipInterpolator

    values = np.interp(nodes, x, y)
    return hermite_cells(values, PchipInterpolator(nodes, values).derivative()(nodes), nodes[1])


def _integrate(law: Physics) -> tuple[Array, ...]:
    """Speeds from 0 up, decelerations there, and the module's integrals tau, S, W, H, X and Y, [n] each."""
    from scipy.integrate import cumulative_simpson

    # v = z^5 makes the integrand of the heading, v^-0.8 / a, smooth at the stop
    z = np.linspace(START_SPEED**0.2, (HEADROOM * law.max_speed) ** 0.2, QUADRATURE_STEPS)
    v = z**5
    deceleration, turn, loss = RATES[law.name](v)
    dv = 5.0 * z**4 / deceleration

    def integral(rate: Array) -> Array:
        """Integral from the stop; below START_SPEED, rate * dv is a power of z fitted to its first samples."""
        f = rate * dv
        power = np.log(max(f[1], 1e-300) / max(f[0], 1e-300)) / np.log(z[1] / z[0])
        return np.append(0.0, cumulative_simpson(f, x=z, initial=0.0) + f[0] * z[0] / (power + 1.0))

    tau, arc, lost, heading = (integral(rate) for rate in (np.ones_like(z), v, loss, turn))
    x, y = integral(v * np.cos(heading[1:])), integral(v * np.sin(heading[1:]))
    return np.append(0.0, v), np.append(deceleration[0], deceleration), tau, arc, lost, heading, x, y


def _over_root(distance: Array, samples: Array, slopes: Array) -> tuple[Array, float]:
    """Cubics of samples over the square root of a distance, which grows as tau^2 at first, and the length of a cell.

    `slopes` are the derivatives of the samples by the root.
    """
    from scipy.interpolate import PchipInterpolator

    dense = np.sqrt(distance)
    roots = np.linspace(0.0, dense[-1], INVERSE_CELLS + 1)
    return hermite_cells(PchipInterpolator(dense, samples)(roots), np.interp(roots, dense, slopes), roots[1]), roots[1]


def _tabulate(law: Physics) -> dict[str, Array]:
    """The tables of one law by name, and the lengths of their cells by the names of their arguments."""
    from scipy.interpolate import CubicHermiteSpline

    v, deceleration, tau, arc, lost, heading, x, y = _integrate(law)
    cos, sin = np.cos(heading), np.sin(heading)
    times = np.linspace(0.0, tau[-1], CURVE_CELLS + 1)

    def over_time(samples: Array, slopes: Array) -> Array:
        exact = CubicHermiteSpline(tau, samples, slopes)
        return hermite_cells(exact(times), np.interp(times, tau, slopes), times[1])

    per_v = 1.0 / np.maximum(v, 1e-30)
    at_stop = np.sqrt(2.0 / deceleration[0])  # limit of dtau / dsqrt(X)
    graph_tau, root_x = _over_root(x, tau, np.where(v > 0.0, 2.0 * np.sqrt(x) * per_v / cos, at_stop))
    graph_y, _ = _over_root(x, y, 2.0 * np.sqrt(x) * sin / cos)
    tau_of_arc, root_arc = _over_root(arc, tau, np.where(v > 0.0, 2.0 * np.sqrt(arc) * per_v, at_stop))

    reach = np.hypot(x, y)
    per_reach = np.where(v > 0.0, reach * per_v / np.maximum(x * cos + y * sin, 1e-30), 0.0)
    tau_of_reach, root_reach = _over_root(reach, tau, np.where(v > 0.0, 2.0 * np.sqrt(reach) * per_reach, at_stop))

    speeds, sines, losses = (np.linspace(0.0, top, INVERSE_CELLS + 1) for top in (v[-1], sin[-1], max(lost[-1], 1.0)))
    tau_of_speed = CubicHermiteSpline(v, tau, 1.0 / deceleration)(speeds)
    cells = {
        "tau": times[1],
        "speed": speeds[1],
        "sine": sines[1],
        "loss": losses[1],
        "root_x": root_x,
        "root_reach": root_reach,
    }
    return cells | {
        "root_arc": root_arc,
        "curve": np.concatenate([over_time(x, v * cos), over_time(y, v * sin)], 1),
        "straight": over_time(arc, v),
        "lost": _monotone_cells(tau, lost, times),
        "graph": np.concatenate([graph_tau, graph_y], 1),
        "tau_of_arc": tau_of_arc,
        "tau_of_reach": tau_of_reach,
        "tau_of_speed": hermite_cells(tau_of_speed, 1.0 / RATES[law.name](speeds)[0], speeds[1]),
        "tau_of_sine": _monotone_cells(sin, tau, sines),
        "tau_of_lost": _monotone_cells(lost, tau, losses),
    }


_SOURCES = (sys.modules[__name__], rates, physics, sheet)
_TABLES = [cached(f"tables of {law.name}", _SOURCES, functools.partial(_tabulate, law)) for law in LAWS]


def _both(name: str) -> Array:
    return np.ascontiguousarray([tables[name] for tables in _TABLES])


def _with_straight(curves: Array, straight: Array) -> Array:
    """Two functions of each curve side by side, the second 0 of the straight ones."""
    return np.concatenate([curves, np.concatenate([straight, np.zeros_like(straight)], 2)])


_STRAIGHT, _TAU_OF_ARC = _both("straight"), _both("tau_of_arc")
straight = table("curve.straight", _STRAIGHT)  # [law, cell of tau, 4]: S in m
tau_of_arc = table("curve.tau_of_arc", _TAU_OF_ARC)  # [law, cell of sqrt(S), 4]
# [law, cell of the square root of the distance from the stop, 4]
tau_of_reach = table("curve.tau_of_reach", _both("tau_of_reach"))
# a curve is the number of its law, or with no spin that and the number of laws
curve = table("curve", _with_straight(_both("curve"), _STRAIGHT))  # [curve, cell of tau, 8]: X, Y in m
graph = table("curve.graph", _with_straight(_both("graph"), _TAU_OF_ARC))  # [curve, cell of sqrt(X), 8]: tau, Y in m
lost = table("curve.lost", _both("lost"))  # [law, cell of tau, 4]: W in rad/s
tau_of_speed = table("curve.tau_of_speed", _both("tau_of_speed"))  # [law, cell of v, 4]
tau_of_sine = table("curve.tau_of_sine", _both("tau_of_sine"))  # [law, cell of sin(H), 4]
tau_of_lost = table("curve.tau_of_lost", _both("tau_of_lost"))  # [law, cell of W, 4]

PER_TAU, PER_ROOT_ARC, PER_ROOT_REACH = (
    1.0 / _both(name) for name in ("tau", "root_arc", "root_reach")
)  # cells a unit
PER_TAU_OF_CURVE, PER_ROOT_X = np.tile(PER_TAU, 2), np.append(1.0 / _both("root_x"), PER_ROOT_ARC)
PER_SPEED, PER_SINE, PER_LOSS = 1.0 / _both("speed"), 1.0 / _both("sine"), 1.0 / _both("loss")
TOP_SPEED = INVERSE_CELLS / PER_SPEED * (1.0 - 1e-9)  # m/s, at the end of the tables
LONGEST = CURVE_CELLS / PER_TAU  # s, from there to the stop
STOP_SPEED = np.array([FCV1_STOP_SPEED, DC2_STOP_SPEED, FCV1_STOP_SPEED])  # m/s, slower stones are at rest

SIDE = np.array([law.limits.side for law in LAWS])  # m, a stone is out from this |x|
BACK = np.array([law.limits.back for law in LAWS])  # m, or from this y
BACK_AT_REST = np.array([law.limits.back_at_rest for law in LAWS])  # m, or at rest beyond this y
HOG = np.array([law.limits.hog for law in LAWS])  # m, or at rest up to this y
