"""A practice server in a process of its own, started by its command line."""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bonspiel.runs.experiment import RunError

BONSPIEL = sys.executable, "-c", "import sys; from bonspiel.runs.cli import main; sys.exit(main(sys.argv[1:]))"
LISTENING = re.compile(r"listening on (.+?): ")
PATIENCE = 300.0  # s; the first start after a change of the sources compiles


class Server(NamedTuple):
    """A running server: its process, and its ports, of team 0 first."""

    process: subprocess.Popen[bytes]
    ports: tuple[int, ...]


@contextmanager
def server(output: Path, protocol: str, *arguments: str) -> Iterator[Server]:
    """Run `bonspiel server` on free ports until the block ends; the file `output` takes what it prints.

    Raises:
        RunError: the server does not start.
    """
    line = [*BONSPIEL, "server", protocol, "--port", "0", *arguments]
    with output.open("w") as stream, subprocess.Popen(line, stdout=stream, stderr=stream) as process:
        try:
            deadline = time.monotonic() + PATIENCE
            while not (listening := LISTENING.search(output.read_text())):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RunError(f"the practice server does not start: {output.read_text().strip()}")
                time.sleep(0.05)
            yield Server(process, tuple(int(port) for port in re.findall(r":(\d+)", listening[1])))
        finally:
            process.kill()
