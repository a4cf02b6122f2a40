"""A process beside the node that searches boards for a way home.

A search takes long, for a node: in a thread it would hold the interpreter. A request is a line on
standard input, its answer a line on standard output. The process ends with its input, so it does
not outlive a node, however that ended.
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
from engine.solver import Outcome, search

PATIENCE = 30.0
"""Seconds after which a search counts as broken: it is bounded, and takes less than one."""

_ROOT = Path(__file__).parents[2]
_NICENESS = 10
"""How much the process leaves the processor to others."""


class SearcherError(Exception):
    """The process does not answer."""


class _Asked(msgspec.Struct, frozen=True):
    """A board, and the digest of its rules."""

    game: str
    variant: str
    rules: str
    piles: tuple[bytes, ...]
    redeals: int


class Answer(msgspec.Struct, frozen=True):
    """What a search found: `engine.solver.SearchResult` with moves as text."""

    outcome: Outcome
    way: tuple[str, ...]


class Search(Protocol):
    """Whatever searches boards for a line of moves that brings another card home."""

    async def ask(self, board: Board) -> Answer:
        """Search a board.

        Raises:
            SearcherError: there is no answer.
        """

    async def close(self) -> None:
        """Free what it holds."""


class Searcher:
    """The process, started when it is first asked. One question at a time."""

    def __init__(self) -> None:
        self._process: Process | None = None

    async def ask(self, board: Board) -> Answer:
        """Search a board.

        Raises:
            SearcherError: the process does not start, or not answer; the next one may.
        """
        rules = board.ruleset
        asked = _Asked(rules.game, rules.variant, rules.digest, board.piles, board.redeals)
        answer = None
        try:
            async with asyncio.timeout(PATIENCE):
                line = await self._ask(msgspec.json.encode(asked))
            answer = msgspec.json.decode(line, type=Answer)
        except (OSError, TimeoutError, msgspec.DecodeError) as error:
            raise SearcherError(repr(error)) from error
        finally:
            if answer is None:
                # What it may still say would be taken for the next answer.
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
    """Start the process on the code of this one, in a session of its own: Ctrl-C is the node's."""
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", __name__, stdin=PIPE, stdout=PIPE, cwd=_ROOT, start_new_session=True
    )


def answer_to(line: bytes) -> bytes:
    """Return the answer to a request."""
    asked = msgspec.json.decode(line, type=_Asked)
    rules = stored_ruleset(asked.game, asked.variant, asked.rules)
    found = search(Board(rules, asked.piles, asked.redeals))
    return msgspec.json.encode(
        Answer(found.outcome, tuple(move_text(rules, m) for m in found.line))
    )


def main() -> None:
    """Answer until the input ends."""
    os.nice(_NICENESS)
    # A node that was killed during a search leaves nobody to answer: that is an end, not an error.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(answer_to(line) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
