"""The findings of a verification of the store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

import msgspec

from engine.errors import EngineError
from server.base.core.refusal import UnreadableError
from server.base.journals.core.entry import GapError
from server.base.journals.store import JournalStore

EXAMPLES = 3
"""Maximum named examples per problem."""


class Findings:
    """The findings of a verification so far.

    Attributes:
        newest: the time of the newest journal entry read, in Unix milliseconds; 0 without any.
        pending: the ids in effects of the outboxes, which nodes will apply.
    """

    def __init__(self, journals: JournalStore) -> None:
        self.newest = 0
        self.pending: set[str] = set()
        self._journals = journals
        self._problems: defaultdict[str, set[str]] = defaultdict(set)

    def note(self, problem: str, example: str | None = None) -> None:
        """Note a problem, which is a sentence if there are no examples of it."""
        self._problems[problem].update(() if example is None else (example,))

    def sentences(self) -> list[str]:
        """Return the problems as sentences."""
        return [_sentence(*problem) for problem in self._problems.items()]

    async def texts(self, key: str, name: str) -> list[str]:
        """Return the entries of a journal."""
        try:
            return (await self._journals.read(key)).texts
        except GapError:
            self.note("Journals with a gap", name)
            return []

    def fold(self, name: str, fold: Callable[[], Timed]) -> None:
        """Fold a journal, and keep the time of its last entry."""
        try:
            self.newest = max(self.newest, fold().at)
        except UnreadableError as error:
            self.note(f"Journals that this release cannot read ({error.code.name})", name)
        except (EngineError, msgspec.DecodeError, AssertionError, LookupError, ValueError) as error:
            # A damaged journal may raise any of these: report it, and verify the rest.
            self.note(f"Journals that cannot be folded ({type(error).__name__})", name)


class Timed(Protocol):
    """The state after a journal's entries."""

    @property
    def at(self) -> int:
        """The time of the last one, in Unix milliseconds."""
        ...


Check = Callable[[str, Findings], Awaitable[None]]
"""Verifies one key of a kind, given its name."""

E = TypeVar("E")
S = TypeVar("S", bound=Timed)


def journal_check(
    key: Callable[[str], str], decode: Callable[[str], E], fold: Callable[[S | None, E], S]
) -> Check:
    """Return a check that folds the journals of a kind."""

    async def check(name: str, found: Findings) -> None:
        texts = await found.texts(key(name), name)

        def folded() -> S:
            state: S | None = None
            for text in texts:
                state = fold(state, decode(text))
            assert state is not None, "there is an entry"
            return state

        if texts:
            found.fold(name, folded)

    return check


def _sentence(problem: str, examples: set[str]) -> str:
    """Return a problem as a sentence."""
    if not examples:
        return problem
    return f"{problem}: {len(examples)}, such as {', '.join(sorted(examples)[:EXAMPLES])}."
