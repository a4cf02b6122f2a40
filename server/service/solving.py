"""Subprocesses that solve deals, at idle priority: what serves players comes first.

A process reads a request as a line of JSON on standard input, and writes the answer as a line of
JSON to standard output. It exits at the end of its input. A seed is in no list of processes so.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import msgspec

from engine.catalog import stored_ruleset
from engine.deal import deal_seed
from engine.schema import STANDARD
from engine.solver import Verdict, solve
from server.core.certificate import line_of

_ROOT = Path(__file__).parents[2]

_NICENESS = 19

_MAX_ANSWER = 1 << 20
"""Bytes of the longest answer that is read."""


class SolverError(Exception):
    """The process does not start, or has ended without an answer."""


class Task(msgspec.Struct, frozen=True):
    """A request: the deal to solve, and the budget in steps."""

    game: str
    rules: str
    seed: bytes
    budget: int

    def __repr__(self) -> str:
        return f"<Task {self.game}>"


class Solved(msgspec.Struct, frozen=True):
    """An answer: `engine.solver.Solution`, without what nobody asks for, and the line as text."""

    verdict: Verdict
    line: str
    home: int
    most: bool
    effort: int

    def __repr__(self) -> str:
        return f"<Solved {self.verdict}>"


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
        __name__,
        stdin=PIPE,
        stdout=PIPE,
        cwd=_ROOT,
        start_new_session=True,
        limit=_MAX_ANSWER,
    )


def solved(task: Task) -> Solved:
    """Solve a deal here and now."""
    rules = stored_ruleset(task.game, STANDARD, task.rules)
    found = solve(deal_seed(rules, task.seed), task.budget)
    line = line_of(rules, found.line)
    return Solved(found.verdict, line, found.home, found.most, found.effort)


def main() -> None:
    """Answer requests until the input ends."""
    os.nice(_NICENESS)
    if hasattr(os, "SCHED_IDLE"):
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    # If who asked is killed meanwhile, exit without a traceback when the answer is written.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for line in sys.stdin.buffer:
        task = msgspec.json.decode(line, type=Task)
        sys.stdout.buffer.write(msgspec.json.encode(solved(task)) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
