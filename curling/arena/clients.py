"""The clients of an arena: commands in any language, or planners by name, which our own client plays."""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import NamedTuple

from bonspiel.runs.experiment import UsageError

COMMAND = re.compile(r"([\w.-]{1,40})=(.*)", re.DOTALL)
NEEDED = {"dc3": ("port",), "dc4": ("port", "match")}
MEANINGS = {
    "host": "the name of the server's machine",
    "port": "the server's port",
    "match": "the id of the match",
    "team": "team0 or team1",
    "user": "the user for the login, also in the environment as DC4_USER",
    "password": "the password, also in the environment as DC4_PASSWORD",
    "name": "the name of the client in the arena",
    "seed": "a random seed, another one in each game",
}


class Client(NamedTuple):
    """A client.

    Attributes:
        name: in tables and records.
        words: the program and its arguments, with names in braces for what differs from game to game, see MEANINGS.
        planner: the text of a planner; None for a command.
    """

    name: str
    words: tuple[str, ...]
    planner: str | None = None

    @property
    def file_name(self) -> str:
        """The name as a part of the names of files."""
        return re.sub(r"[^\w.=-]+", "-", self.name)

    @property
    def version(self) -> str:
        """The command, with a digest of each file in it: results of two versions of a program do not mix."""
        program, *others = self.words
        digests = filter(None, map(_digest, (shutil.which(program) or program, *others)))
        return f"{shlex.join(self.words)} ({', '.join(digests)})"

    def command(self, values: Mapping[str, str]) -> list[str]:
        """The program and its arguments for one game."""
        return [re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), word) for word in self.words]


def parse_clients(texts: Sequence[str], protocol: str, own_options: Sequence[str]) -> tuple[Client, ...]:
    """The clients of a command line, each NAME=COMMAND or a planner.

    Args:
        texts: of the clients.
        protocol: "dc3" or "dc4".
        own_options: further options of `bonspiel client`.

    Raises:
        UsageError: a name that is not allowed, a command that cannot be started or cannot find the server, or two
            clients with one name.
    """
    clients = []
    for text in texts:
        command = COMMAND.fullmatch(text)
        name, equals, _ = text.partition("=")
        if command is None and equals and ":" not in name:  # in the text of a planner that stands before
            allowed = "1 to 40 letters, digits, dots, underscores and hyphens"
            raise UsageError(f"--client {text!r}: the name before the = must be {allowed}, not {name!r}")
        if command is None:
            clients.append(_of_planner(text, protocol, own_options))
        else:
            clients.append(_of_command(command[1], command[2], protocol))
    names = [client.file_name for client in clients]
    for client in clients:
        if names.count(client.file_name) > 1:
            raise UsageError(f"--client {client.name}: two clients have this name; name every client differently")
    return tuple(clients)


def _digest(word: str) -> str | None:
    """The name and the digest of a file; None where a word names no file that can be read."""
    with suppress(OSError):
        if os.path.isfile(word):
            with open(word, "rb") as file:
                digest = file_digest(file, partial(blake2b, digest_size=6))
            return f"{Path(word).name}: {digest.hexdigest()}"
    return None


def _of_command(name: str, command: str, protocol: str) -> Client:
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise UsageError(f"--client {name}: {error} in the command") from error
    if not words:
        raise UsageError(f'--client {name}: the command is missing; write "{name}=COMMAND"')
    if shutil.which(words[0]) is None:
        raise UsageError(f"--client {name}: {words[0]!r} is no program that can be found and executed")
    for needed in NEEDED[protocol]:
        if not any(f"{{{needed}}}" in word for word in words):
            raise UsageError(f"--client {name}: the command needs {{{needed}}}, which stands for {MEANINGS[needed]}")
    return Client(name, words)


def _of_planner(text: str, protocol: str, own_options: Sequence[str]) -> Client:
    match = ("--match", "{match}", "--team", "{team}") if protocol == "dc4" else ()
    server = "--host", "{host}", "--port", "{port}", *match
    player = "--planner", text, "--strict", "--seed", "{seed}", "--log", "{log}"
    return Client(text, (sys.executable, "-m", "bonspiel", "client", protocol, *server, *player, *own_options), text)
