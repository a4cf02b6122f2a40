"""Servers that break their word, one way each, to see that the simulation finds them out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from server.core.attempt import Attempt
from server.core.ids import RoomCode
from server.service.attempt_journal import AttemptDefinition
from server.service.moves import PendingMove
from server.service.replica import Replica
from server.service.rooms import Rooms
from server.store import journal, leaderboards
from server.store.clock import Clock
from server.store.journal import Append, ConflictError, Journals
from tests.simulation import fates, race
from tests.simulation.memory import Memory, Reply
from tests.simulation.race import instead
from tests.simulation.scripts import SCRIPTS


@contextmanager
def acknowledges_before_it_appends() -> Iterator[None]:
    """An append counts as standing at once, and is done afterwards."""
    append: Any = Journals.append
    append_soon: Any = Journals.append_soon
    tasks: set[asyncio.Task[None]] = set()

    async def hopefully(self: Journals, entry: Append, *given: Any) -> None:
        with suppress(Exception):
            await append(self, entry, *given)

    async def at_once(self: Journals, entry: Append, *given: Any) -> int:
        task = asyncio.create_task(hopefully(self, entry, *given))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        return self.generation(entry.key)

    def soon(self: Journals, *given: Any) -> bool:
        *entry, generation, done, previous = given
        if not append_soon(self, *entry, generation, lambda *_: None, previous):
            return False
        asyncio.get_running_loop().call_soon(done, None, generation)
        return True

    with instead(Journals, "append", at_once), instead(Journals, "append_soon", soon):
        yield


@contextmanager
def _often(kind: str) -> Iterator[None]:
    """Let a fault of the store happen ten times as often inside."""
    with instead(fates, "STORE", {**fates.STORE, kind: 10 * fates.STORE[kind]}):
        yield


@contextmanager
def ends_without_an_outbox() -> Iterator[None]:
    """What follows from an end is known to the node alone on which it came."""
    kind = AttemptDefinition
    append = kind.append

    def without(self: Any, *given: Any) -> Append:
        return append(self, *given)._replace(effect=None)

    with instead(kind, "append", without), _often(fates.KILLED_AFTER):
        yield


@contextmanager
def takes_a_conflict_for_success() -> Iterator[None]:
    """A node that lags does not read what it missed."""
    append: Any = Journals.append
    append_soon: Any = Journals.append_soon

    async def forgetful(self: Journals, entry: Append, *given: Any) -> int:
        with suppress(ConflictError):
            return await append(self, entry, *given)  # type: ignore[no-any-return]
        return self.generation(entry.key)

    def soon(self: Journals, *given: Any) -> bool:
        *entry, generation, done, previous = given

        def forget(error: Exception | None, known: int) -> None:
            done(None if isinstance(error, ConflictError) else error, known)

        return append_soon(self, *entry, generation, forget, previous)  # type: ignore[no-any-return]

    with instead(Journals, "append", forgetful), instead(Journals, "append_soon", soon):
        yield


@contextmanager
def _script(text: str, other: Callable[[Memory, list[str], list[str]], Reply]) -> Iterator[None]:
    """Let a script do something else inside."""
    before, SCRIPTS[text] = SCRIPTS[text], other
    try:
        yield
    finally:
        SCRIPTS[text] = before


@contextmanager
def counts_what_is_entered_again() -> Iterator[None]:
    """A leaderboard adds up what it is told twice."""

    def twice(memory: Memory, names: list[str], given: list[str]) -> Reply:
        score = memory.scores(names[0]).get(given[0], 0.0) + float(given[1])
        memory.zadd(names[0], score, given[0])
        return 1

    with _script(leaderboards._ENTER, twice):
        yield


@contextmanager
def plays_a_resent_move_again() -> Iterator[None]:
    """A move's number is not looked at."""
    decide = PendingMove.decide

    def anyhow(self: PendingMove, state: Attempt | None, now: int) -> Any:
        if state is not None:
            self._seq = state.seq + 1
        return decide(self, state, now)

    with instead(PendingMove, "decide", anyhow):
        yield


@contextmanager
def appends_at_any_time() -> Iterator[None]:
    """A node with a wrong clock ends attempts before their time is up."""
    with instead(journal, "CLOCK_TOLERANCE", 10**15):
        yield


@contextmanager
def never_looks_at_the_clock_again() -> Iterator[None]:
    """A node whose clock has jumped shows cards early."""
    sample = Clock.sample

    async def once(self: Clock) -> None:
        if self._bounds is None:
            await sample(self)

    with instead(Clock, "sample", once):
        yield


@contextmanager
def forgets_a_deadline_that_has_not_passed() -> Iterator[None]:
    """A deadline that a wrong clock saw counts as passed, though nothing was ended."""
    pass_deadline = Rooms.pass_deadline

    async def anyhow(self: Rooms, code: RoomCode) -> bool:
        await pass_deadline(self, code)
        return True

    with instead(Rooms, "pass_deadline", anyhow), _often(fates.CLOCK_JUMP):
        yield


@contextmanager
def follows_whatever_stands() -> Iterator[None]:
    """An append looks at the number of the last entry alone, which may be another one by now.

    That matters only where the store has lost something: here it does so in every race.
    """
    append = SCRIPTS[journal._APPEND_WITH]

    def anyhow(memory: Memory, names: list[str], given: list[str]) -> Reply:
        return append(memory, names, given[:9])

    with _script(journal._APPEND_WITH, anyhow), _losses(), _ignored_generations():
        yield


@contextmanager
def trusts_what_it_held_before() -> Iterator[None]:
    """What was read on a connection counts on the next one as well, though the store lost it."""
    with _losses(), _ignored_generations():
        yield


@contextmanager
def _losses() -> Iterator[None]:
    """Let the store lose something in each race, and little else happen.

    What a node holds matters only if it did not look since, while the same player plays at another
    node: each look shows what was lost.
    """
    often = {**fates.OTHERS, fates.SECOND_DEVICE: 0.5, fates.WAKE_UP_LOST: 0.5}
    with (
        instead(race, "TAIL_LOST", 1.0),
        instead(race, "CUTS_APART", (0.2, 1.0)),
        instead(fates, "STORE", dict.fromkeys(fates.STORE, 0.0)),
        instead(fates, "NETWORK", dict.fromkeys(fates.NETWORK, 0.0)),
        instead(fates, "OTHERS", often),
    ):
        yield


@contextmanager
def _ignored_generations() -> Iterator[None]:
    append_soon: Any = Journals.append_soon

    def is_current(self: Replica[Any, Any]) -> bool:
        return self._generation != 0 and self._journals.generation(self._definition.key()) != 0

    def soon(self: Journals, entry: Append, at: int, _: int, *given: Any) -> bool:
        return append_soon(self, entry, at, self.generation(entry.key), *given)  # type: ignore[no-any-return]

    with instead(Replica, "_is_current", is_current), instead(Journals, "append_soon", soon):
        yield


WAYS: list[Callable[[], Any]] = [
    acknowledges_before_it_appends,
    ends_without_an_outbox,
    takes_a_conflict_for_success,
    counts_what_is_entered_again,
    plays_a_resent_move_again,
    appends_at_any_time,
    never_looks_at_the_clock_again,
    forgets_a_deadline_that_has_not_passed,
]
"""Those that a race finds out."""

LOSSES = [follows_whatever_stands, trusts_what_it_held_before]
"""Those that matter only where the store has lost something, and somebody remembers it."""
