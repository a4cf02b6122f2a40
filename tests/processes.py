"""Child processes of tests: output, termination, and free ports."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import IO

from tests.forked import Forked

ROOT = Path(__file__).parents[1]
"""The top of the repository."""

# Otherwise nodes on private stores would solve deals alongside the tests, for ten minutes each.
os.environ["SAMEDEAL_CERTIFY"] = "false"

_WITHOUT = str(ROOT / "tests/without")
if _WITHOUT not in (_path := os.environ.get("PYTHONPATH", "").split(os.pathsep)):
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [_WITHOUT, *_path]))
"""Hides the same modules from child processes as from nodes."""

PATIENCE = 60.0
"""Maximum seconds that a test waits for something; it ends hanging tests and asserts no speed."""


class Running:
    """A child process, and the lines it has printed so far on both output streams.

    To fork it, pass the arguments of a node (`tests/forked.py`).
    """

    def __init__(
        self,
        arguments: Sequence[str],
        env: Mapping[str, str] | None = None,
        cwd: Path = ROOT,
        *,
        forked: bool = False,
    ) -> None:
        self.process: subprocess.Popen[str] | Forked
        if forked:
            self.process = Forked(arguments, cwd, env)
        else:
            self.process = subprocess.Popen(  # noqa: S603 - a test's own arguments
                arguments,
                cwd=cwd,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        self.lines: list[str] = []
        self._ended = False
        self._changed = threading.Condition()
        assert self.process.stdout is not None
        self._reader = threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self._reader.start()

    def _read(self, output: IO[str]) -> None:
        for line in output:
            with self._changed:
                self.lines.append(line)
                self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def wait_for(self, words: str) -> str:
        """Return the first line with `words`, once printed; fail if the process exits before."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended or self._line(words), PATIENCE)
            line = self._line(words)
        assert line is not None, (
            f"{self.process.args!r} has not printed {words!r}:\n{''.join(self.lines)}"
        )
        return line

    def _line(self, words: str) -> str | None:
        return next((line for line in self.lines if words in line), None)

    def kill(self) -> None:
        """Send SIGKILL, and wait for the exit."""
        self.process.kill()
        self._wait_for_end()

    def end(self) -> int:
        """Send SIGTERM, and return the exit status."""
        self.process.terminate()
        return self._wait_for_end()

    def _wait_for_end(self) -> int:
        try:
            status = self.process.wait(PATIENCE)
        finally:
            self.process.kill()
        self._reader.join(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return status


@contextmanager
def running(
    arguments: Sequence[str],
    env: Mapping[str, str] | None = None,
    cwd: Path = ROOT,
    *,
    forked: bool = False,
) -> Iterator[Running]:
    """Run a program within the block; see `Running`."""
    program = Running(arguments, env, cwd, forked=forked)
    try:
        yield program
    finally:
        if program.process.poll() is None:
            program.end()
        else:
            program.kill()


def program(name: str) -> str:
    """Return the path of a program; fail if it is not on the PATH."""
    found = shutil.which(name)
    assert found is not None, f"This test needs {name} on the PATH."
    return found


FIRST_PORT, LAST_PORT = 10_000, 20_000
"""Ports of tests, below the range of outgoing connections.

A cluster's bus uses its port plus 10,000, where no other test binds either.
"""

PORTS_PER_PROCESS = 100


BLOCKED_PORT = 10_080
"""Amanda's port, the only one in the range that browsers refuse to open."""


def free_port(count: int = 1) -> int:
    """Return a free port of 127.0.0.1, or the first of `count` consecutive free ones.

    Parallel test processes get different ports, and outgoing connections never use them: a killed
    server can bind its port again after a restart.
    """
    while True:
        ports = list(islice(_own_ports, count))
        if ports[-1] - ports[0] == count - 1 and all(map(_is_free, ports)):
            return ports[0]


def _claimed_ports() -> Iterator[int]:
    """Yield the ports of one block repeatedly; a bound UDP socket claims it for this process."""
    for first in range(FIRST_PORT, LAST_PORT, PORTS_PER_PROCESS):
        with suppress(OSError), socket.socket(type=socket.SOCK_DGRAM) as claim:
            claim.bind(("127.0.0.1", first))
            while True:
                yield from (
                    port for port in range(first, first + PORTS_PER_PROCESS) if port != BLOCKED_PORT
                )
    raise RuntimeError(f"All ports from {FIRST_PORT} to {LAST_PORT} are claimed.")


_own_ports = _claimed_ports()


def is_alive(pid: int) -> bool:
    """Return whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        # It exited before the file was opened, or between opening and reading.
        return False


def _is_free(port: int) -> bool:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True
