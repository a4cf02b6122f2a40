"""Subprocesses that solve deals, by default at idle priority, so that players are served first."""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec

from server.base.work.line_process import LineProcess, LineProcessError

# The outcome for a deal: a winning line; for games whose deals are not won, the line that brings
# the most cards home; neither; or no solver method for the game.
Outcome = Literal["won", "most", "unknown", "unfit"]

_PROGRAM = "server.deals.solver_main"
_INTERPRETED = {"NUMBA_DISABLE_JIT": "1"}


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
    """An answer; its line is secret, so `repr` omits it."""

    outcome: Outcome
    line: str  # the moves (`server.deals.core.certificate.line_of`)
    home: int  # cards home after them
    effort: int  # the solver's effort, comparable within a game

    def __repr__(self) -> str:
        return f"<Solved {self.outcome}>"


class Solver(Protocol):
    """Solves one deal at a time."""

    async def solve(self, task: Task) -> Solved:
        """Solve a deal, or raise a `SolverError`."""


class SolverProcess(LineProcess[Solved]):
    """Solves in a subprocess, started by the first request. One request at a time.

    `awaited` means that a starting node waits for a few deals. The process then runs at the node's
    priority, and interpreted: compiling the solver takes longer than most deals.
    """

    def __init__(self, *, awaited: bool = False) -> None:
        environment = _INTERPRETED if awaited else {}
        super().__init__(_PROGRAM, Solved, awaited=awaited, environment=environment)

    async def solve(self, task: Task) -> Solved:
        """Solve a deal, or raise a `SolverError`."""
        try:
            return await self.request(task)
        except LineProcessError as error:
            raise SolverError("A solver ended without an answer.") from error
