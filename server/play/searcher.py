"""A subprocess of a node that searches boards for a line of moves that brings a card home.

A search takes up to a second of CPU time, and in a thread it would hold the interpreter lock. The
process reads a request as a line of JSON on standard input, and writes the answer as a line of JSON
to standard output. It exits at the end of its input, so it does not outlive a node that was killed.
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

from engine.board import Board
from engine.catalog import stored_ruleset
from engine.notation import move_text
from engine.search import Outcome, search

TIMEOUT = 30.0
"""Seconds without an answer after which the process is killed; a search takes less than one."""

_ROOT = Path(__file__).parents[2]
_NICENESS = 10
"""What the process adds to its niceness, so that the node comes first."""


class SearcherError(Exception):
    """The process does not start, or does not answer."""


class _Request(msgspec.Struct, frozen=True):
    """A request: the board to search, as the fields of `engine.board.Board`, and its rules."""

    game: str
    variant: str
    rules: str
    piles: tuple[bytes, ...]
    redeals: int


class Answer(msgspec.Struct, frozen=True):
    """The result of a search: `engine.search.SearchResult` with moves as text."""

    outcome: Outcome
    line: tuple[str, ...]


class Search(Protocol):
    """Searches boards for a line of moves that brings another card home."""

    async def ask(self, board: Board) -> Answer:
        """Search a board.

        Raises:
            SearcherError: the search failed.
        """

    async def close(self) -> None:
        """Free the resources."""


class Searcher:
    """Runs the process, which is started by the first request. One request at a time."""

    def __init__(self) -> None:
        self._process: Process | None = None

    async def ask(self, board: Board) -> Answer:
        """Search a board.

        Raises:
            SearcherError: the process does not start, or does not answer. It has been ended, and
                the next request starts a new one.
        """
        rules = board.ruleset
        request = _Request(rules.game, rules.variant, rules.digest, board.piles, board.redeals)
        answer = None
        try:
            async with asyncio.timeout(TIMEOUT):
                line = await self._ask(msgspec.json.encode(request))
            answer = msgspec.json.decode(line, type=Answer)
        except (OSError, TimeoutError, msgspec.DecodeError) as error:
            raise SearcherError(repr(error)) from error
        finally:
            if answer is None:
                # A late answer would be taken for that to the next request.
                await self.close()
        return answer

    async def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.communicate()

    async def _ask(self, line: bytes) -> bytes:
        if self._process is None:
            self._process = await _start()
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(line + b"\n")
        await stdin.drain()
        return await stdout.readline()


async def _start() -> Process:
    """Start the process with this interpreter, in a session that Ctrl-C does not reach."""
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", __name__, stdin=PIPE, stdout=PIPE, cwd=_ROOT, start_new_session=True
    )


def answer_to(line: bytes) -> bytes:
    """Return the answer (JSON) to a request (JSON)."""
    request = msgspec.json.decode(line, type=_Request)
    rules = stored_ruleset(request.game, request.variant, request.rules)
    found = search(Board(rules, request.piles, request.redeals))
    return msgspec.json.encode(
        Answer(found.outcome, tuple(move_text(rules, m) for m in found.line))
    )


def main() -> None:
    """Answer requests until the input ends."""
    os.nice(_NICENESS)
    # If the node is killed during a search, exit without a traceback when the answer is written.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(answer_to(line) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
