"""Write the commit into wheels and source distributions, which have no git; all else is in pyproject.toml."""

import runpy
from pathlib import Path
from typing import Any

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

COMMIT = runpy.run_path(str(Path(__file__).parent / "bonspiel" / "commit.py"))


def write_commit(folder: str) -> None:
    """Write the commit of the sources here into a copy of them; what an earlier build left there goes."""
    file = Path(folder, "bonspiel", COMMIT["BUILT"])
    file.unlink(missing_ok=True)
    found = COMMIT["commit"]()
    if found is not None:
        file.write_text(f"{found}\n", encoding="utf-8")


class BuildPy(build_py):
    """An editable installation asks git itself."""

    def run(self) -> None:
        """Copy the modules, then write the commit beside them."""
        super().run()
        if not self.editable_mode:
            write_commit(self.build_lib)


class Sdist(sdist):
    """The sources, with the commit."""

    def make_release_tree(self, base_dir: str, files: Any) -> None:
        """Copy the sources, then write the commit beside them."""
        super().make_release_tree(base_dir, files)
        write_commit(base_dir)


setup(cmdclass={"build_py": BuildPy, "sdist": Sdist})
