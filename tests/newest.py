"""What `make test-newest` runs on the newest Python that numba supports, where box2d does not exist; not for pytest."""

import importlib.util
import os
import pkgutil
import subprocess
import sys
import tempfile
from pathlib import Path

OF_EXTRAS = {"distributed", "h11", "pettingzoo", "starlette", "uvicorn"}
OF_BOX2D = {"bonspiel.curling.box2d_model", "bonspiel.curling.ice.engines.box2d"}


def check_that_all_modules_are_imported_but_those_of_extras_and_box2d():
    import bonspiel

    assert importlib.util.find_spec("Box2D") is None, "box2d exists for this Python: see the marker in pyproject.toml"
    modules, refused = 0, set()
    for module in pkgutil.walk_packages(bonspiel.__path__, "bonspiel."):
        if module.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(module.name)
            modules += 1
        except ImportError as error:
            if error.name not in OF_EXTRAS:
                refused.add(module.name)
    assert modules > 100 and refused == OF_BOX2D, (modules, refused)


def check_that_a_planner_earns_the_optimum_of_trap_before_a_window():
    import gymnasium
    import numpy as np

    from bonspiel import planners

    env = gymnasium.make("bonspiel/Trap-v0", render_mode="human")
    planner, rng = planners.make("abstraction"), np.random.default_rng(0)
    env.reset(seed=0)
    done, total = False, 0.0
    while not done:
        decision = planner.plan(env.unwrapped.model, env.unwrapped.state, planners.Budget(simulations=1_000), rng)
        _, reward, terminated, truncated, _ = env.step(decision.action)
        done, total = terminated or truncated, total + reward
    env.close()
    assert abs(total - 1.7) < 1e-9, total


def check_that_the_analytic_engine_draws_beside_the_stone_on_the_tee_and_takes_it_out():
    import numpy as np

    from bonspiel import curling

    stones = np.full((16, 2), np.nan)
    stones[8] = 0.0, 38.405
    engine = curling.make_engine("analytic")
    drawn = engine.shot(stones, index=0, velocity=(0.1, 2.4), spin=1.57)
    assert np.allclose(drawn[[0, 8]], [[-0.5057, 38.3576], [0.0, 38.405]], atol=1e-4), drawn  # as on older Pythons
    taken = engine.shot(stones, index=0, velocity=(0.1, 3.0), spin=1.57)
    assert np.isnan(taken[8]).all(), taken


def check_that_the_command_line_lists_names_and_plays_episodes():
    bonspiel = Path(sys.prefix) / "bin" / "bonspiel"
    with tempfile.TemporaryDirectory() as out:
        run = ["run", "trap", "--planner", "dpw", "--budget", "10", "--episodes", "2", "--out", f"{out}/results"]
        for arguments in (["list"], run):
            done = subprocess.run([bonspiel, *arguments], capture_output=True, text=True, check=False)
            assert done.returncode == 0 and "dpw" in done.stdout, done.stdout + done.stderr


if __name__ == "__main__":
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    for name, check in [*globals().items()]:
        if name.startswith("check_"):
            check()
    print(f"Python {sys.version.split()[0]}: imports, a window, a plan, a throw and a run without box2d work")
