"""Programs that a test runs, and what they say."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[1]
"""The top of the repository."""

PATIENCE = 30.0
"""Seconds after which what has not happened will not."""


class Running:
    """A program that runs, with all that it has said so far."""

    def __init__(
        self, arguments: Sequence[str], env: Mapping[str, str] | None = None, cwd: Path = ROOT
    ) -> None:
        self.process = subprocess.Popen(  # noqa: S603 - a test's own arguments
            arguments,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.said: list[str] = []
        self._ended = False
        self._news = threading.Condition()
        assert self.process.stdout is not None
        self._listener = threading.Thread(
            target=self._listen, args=(self.process.stdout,), daemon=True
        )
        self._listener.start()

    def _listen(self, output: IO[str]) -> None:
        for line in output:
            with self._news:
                self.said.append(line)
                self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()

    def wait_for(self, words: str) -> str:
        """Return the line with `words` once it is said; fail if the program ends without it."""
        with self._news:
            self._news.wait_for(lambda: self._ended or self._line(words), PATIENCE)
            line = self._line(words)
        assert line is not None, (
            f"{self.process.args!r} never said {words!r}:\n{''.join(self.said)}"
        )
        return line

    def _line(self, words: str) -> str | None:
        return next((line for line in self.said if words in line), None)

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self._finish()

    def end(self) -> int:
        """Ask it to end, and return its exit status."""
        self.process.terminate()
        self._finish()
        return self.process.returncode

    def _finish(self) -> None:
        try:
            self.process.wait(PATIENCE)
        finally:
            self.process.kill()
        self._listener.join(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()


@contextmanager
def running(
    arguments: Sequence[str], env: Mapping[str, str] | None = None, cwd: Path = ROOT
) -> Iterator[Running]:
    """Run a program until the block is left, however it is left."""
    program = Running(arguments, env, cwd)
    try:
        yield program
    finally:
        if program.process.poll() is None:
            program.end()
        else:
            program.kill()


def program(name: str) -> str:
    """Return the path of a program that the machine must have."""
    found = shutil.which(name)
    assert found is not None, f"This test needs {name} on the PATH."
    return found


FIRST_PORT, LAST_PORT = 10_000, 20_000
"""Where tests serve: below the ports that systems give to outgoing connections.

A cluster's bus is 10,000 above its port, where no other test is either.
"""

PORTS_A_PROCESS = 100


def free_port(count: int = 1) -> int:
    """Return a port of 127.0.0.1 that is this process's alone; of several in a row, the first.

    Tests that run side by side are given different ones, and an outgoing connection never takes
    it: a server that is killed finds it free when it starts again.
    """
    while True:
        ports = list(islice(_own_ports, count))
        if ports[-1] - ports[0] == count - 1 and all(map(_is_free, ports)):
            return ports[0]


def _claimed_ports() -> Iterator[int]:
    """Yield the ports of a block over and over; other processes see that it is claimed."""
    for first in range(FIRST_PORT, LAST_PORT, PORTS_A_PROCESS):
        with suppress(OSError), socket.socket(type=socket.SOCK_DGRAM) as claim:
            claim.bind(("127.0.0.1", first))
            while True:
                yield from range(first, first + PORTS_A_PROCESS)
    raise RuntimeError(f"All ports from {FIRST_PORT} to {LAST_PORT} are claimed.")


_own_ports = _claimed_ports()


def _is_free(port: int) -> bool:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True
