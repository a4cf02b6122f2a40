"""Subprocesses that solve deals, at idle priority: what serves players comes first.

A process reads a request as a line of JSON on standard input, and writes the answer as a line of
JSON to standard output. It exits at the end of its input. A seed is in no list of processes so.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from pathlib import Path
from typing import Literal, Protocol

import msgspec

Outcome = Literal["won", "most", "unknown", "unfit"]
"""What is known of a deal: a line that wins; in a game whose deals are not won, one that brings the
most cards home; neither; that no method of the solver fits the game."""

_ROOT = Path(__file__).parents[2]

_PROGRAM = "server.deals.solver"

_MAX_ANSWER = 1 << 20
"""Bytes of the longest answer that is read."""


class SolverError(Exception):
    """The process does not start, or has ended without an answer."""


class Task(msgspec.Struct, frozen=True):
    """A request: the deal to solve, by these rules, with the game's budget divided by `share`."""

    game: str
    rules: str
    seed: bytes
    share: int

    def __repr__(self) -> str:
        return f"<Task {self.game}>"


class Solved(msgspec.Struct, frozen=True):
    """An answer; its line is secret, and left out of `repr`.

    Attributes:
        line: the moves (`server.deals.core.certificate.line_of`).
        home: cards home after them.
        effort: how hard it was, which is comparable within a game.
    """

    outcome: Outcome
    line: str
    home: int
    effort: int

    def __repr__(self) -> str:
        return f"<Solved {self.outcome}>"


class Solver(Protocol):
    """Solves a deal at a time."""

    async def solve(self, task: Task) -> Solved:
        """Solve a deal.

        Raises:
            SolverError: it does not work.
        """


class SolverProcess:
    """Runs a process, which is started by the first request. One request at a time."""

    def __init__(self) -> None:
        self._process: Process | None = None

    async def solve(self, task: Task) -> Solved:
        """Solve a deal.

        Raises:
            SolverError: the process does not start, or has ended without an answer.
        """
        try:
            if self._process is None:
                self._process = await _start()
            stdin, stdout = self._process.stdin, self._process.stdout
            assert stdin is not None
            assert stdout is not None
            stdin.write(msgspec.json.encode(task) + b"\n")
            await stdin.drain()
            return msgspec.json.decode(await stdout.readline(), type=Solved)
        except (OSError, ValueError, msgspec.DecodeError) as error:
            raise SolverError("A solver has ended without an answer.") from error

    async def close(self) -> None:
        """End the process, whatever it does."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.communicate()


async def _start() -> Process:
    """Start the process with this interpreter, in a session that Ctrl-C does not reach."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        _PROGRAM,
        stdin=PIPE,
        stdout=PIPE,
        cwd=_ROOT,
        start_new_session=True,
        limit=_MAX_ANSWER,
    )
