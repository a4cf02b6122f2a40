"""A subprocess of a node that searches boards for a line of moves that brings a card home.

A search takes up to a second of CPU time, and in a thread it would hold the interpreter lock. If
the node has a core to itself, the subprocess runs on the others.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Protocol

import msgspec

from engine.board import Board
from engine.catalog import stored_ruleset
from engine.notation import move_text
from engine.search import MAX_POSITIONS, Outcome, search
from server.base.work.line_process import LineProcess, answer_requests

# Seconds without an answer until the process is killed. A search takes under a second of CPU time,
# but may wait long for it if the node is busy.
TIMEOUT = 600.0

# Seconds of rest per second of search: a fifth of a core, which leaves most of the CPU to the node
# if there is only one core, or a shared quota.
_REST = 4.0


class _Request(msgspec.Struct, frozen=True):
    """A board to search, as the fields of `engine.board.Board`, its rules, and the bound."""

    game: str
    variant: str
    rules: str
    piles: tuple[bytes, ...]
    redeals: int
    positions: int


class Answer(msgspec.Struct, frozen=True):
    """The result of a search: `engine.search.SearchResult` with moves as text."""

    outcome: Outcome
    line: tuple[str, ...]


class Search(Protocol):
    """Searches boards for a line of moves that brings another card home."""

    async def ask(self, board: Board, positions: int = MAX_POSITIONS) -> Answer:
        """Examine at most so many positions of a board, or raise a `LineProcessError`."""

    async def close(self) -> None:
        """Free the resources."""


class Searcher(LineProcess[Answer]):
    """Searches in a subprocess, started by the first search. One search at a time."""

    def __init__(self) -> None:
        super().__init__(__name__, Answer, TIMEOUT)

    async def ask(self, board: Board, positions: int = MAX_POSITIONS) -> Answer:
        """Search a board: see `Search.ask`."""
        rules = board.ruleset
        named = rules.game, rules.variant, rules.digest
        return await self.request(_Request(*named, board.piles, board.redeals, positions))


def _answer(request: _Request) -> Answer:
    rules = stored_ruleset(request.game, request.variant, request.rules)
    found = search(Board(rules, request.piles, request.redeals), request.positions)
    return Answer(found.outcome, tuple(move_text(rules, m) for m in found.line))


def leave_core() -> None:
    """Move to all cores except the node's, if it is pinned to one and there are others."""
    if hasattr(os, "sched_getaffinity"):
        own = os.sched_getaffinity(0)
        if len(own) == 1:
            with suppress(OSError):
                # A container may forbid this.
                os.sched_setaffinity(0, set(range(os.cpu_count() or 1)) - own)


if __name__ == "__main__":
    leave_core()
    answer_requests(_Request, _answer, _REST)
