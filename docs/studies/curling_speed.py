"""Time of a shot by number of stones on the sheet, as lines and as the chart of docs/results/curling-speed.md.

python docs/studies/curling_speed.py --out docs/results/curling-speed.svg
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from bonspiel.curling.benchmarks.engines import microseconds
from bonspiel.curling.ice.engines import make_engine
from bonspiel.curling.ice.sheet import STONES
from bonspiel.planners.model import Array, Rng
from bonspiel.runs.verbs.options import option

BOARDS, SHOTS = 100, 2_000  # for each number of stones, and on each board


def print_times(counts: range, rng: Rng) -> Iterator[tuple[int, Array]]:
    """Print and yield the analytic engine's microseconds per shot for each number of stones."""
    engine = make_engine("analytic")
    for count in counts:
        times = microseconds(engine, count, BOARDS, SHOTS, rng)
        median = np.median(times)
        print(f"analytic, {count:2d} stones on the sheet: {median:5.2f} us a shot, {1e6 / median:10,.0f} shots/s")
        yield count, times


def save_chart(figures: dict[int, Array], file: Path) -> None:
    """Save a chart of the time per shot by number of stones: the median and the middle 80 % of boards."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 3.6), layout="constrained")
    axes = figure.add_subplot()
    low, middle, high = np.quantile(list(figures.values()), (0.1, 0.5, 0.9), axis=1)
    axes.fill_between(list(figures), low, high, color="#0072B2", alpha=0.2, linewidth=0, label="80 % of boards")
    axes.plot(list(figures), middle, color="#0072B2", marker="o", markersize=4, label="median board")
    axes.set(xlabel="stones on the sheet", ylabel="µs per shot, one core", xlim=(0, max(figures)), ylim=(0, None))
    axes.set_title("Analytic engine: draws and hits, vy 2.3 to 2.8 m/s")
    axes.grid(color="#e6e6e6")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper left")
    with rc_context({"svg.hashsalt": "bonspiel"}):
        figure.savefig(file, metadata={"Date": None})


def main(line: Sequence[str] | None = None) -> int:
    """Measure and print, then save the chart."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    option(parser, "--out", "FILE", "file for the chart (default: do not draw it)")
    out = parser.parse_args(line).out
    measured = dict(print_times(range(STONES), np.random.default_rng(0)))
    if out is not None:
        save_chart(measured, out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
