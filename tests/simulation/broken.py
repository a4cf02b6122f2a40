"""Servers that break their word, one way each, to see that the simulation finds them out."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from server.core.attempt import Play, Resign
from server.core.ids import AttemptId, PlayerId, RoomCode
from server.service import attempts
from server.service.answers import Answer
from server.service.attempts import Attempts
from server.service.rooms import Rooms
from server.store import journal
from server.store.journal import Append, ConflictError
from tests.simulation import race
from tests.simulation.memory import Memory
from tests.simulation.stores import SimulatedClock, SimulatedJournals


@contextmanager
def _instead(owner: Any, name: str, other: object) -> Iterator[None]:
    """Let something be another thing inside."""
    before = getattr(owner, name)
    setattr(owner, name, other)
    try:
        yield
    finally:
        setattr(owner, name, before)


@contextmanager
def acknowledges_before_it_appends() -> Iterator[None]:
    """An append returns at once, and is done afterwards."""
    append = SimulatedJournals.append
    tasks: set[asyncio.Task[None]] = set()

    async def hopefully(self: SimulatedJournals, entry: Append, previous: str, now: int) -> None:
        with suppress(Exception):
            await append(self, entry, previous, now)

    async def at_once(self: SimulatedJournals, entry: Append, previous: str, now: int) -> None:
        task = asyncio.create_task(hopefully(self, entry, previous, now))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    with _instead(SimulatedJournals, "append", at_once):
        yield


@contextmanager
def ends_without_an_outbox() -> Iterator[None]:
    """What follows from an end is known to the node alone on which it came."""
    kind = attempts._Kind
    append = kind.append

    def without(self: Any, *given: Any) -> Append:
        return dataclasses.replace(append(self, *given), effect=None)

    with _instead(kind, "append", without):
        yield


@contextmanager
def takes_a_conflict_for_success() -> Iterator[None]:
    """A node that lags does not read what it missed."""
    append = SimulatedJournals.append

    async def forgetful(self: SimulatedJournals, entry: Append, previous: str, now: int) -> None:
        with suppress(ConflictError):
            await append(self, entry, previous, now)

    with _instead(SimulatedJournals, "append", forgetful):
        yield


@contextmanager
def counts_what_is_entered_again() -> Iterator[None]:
    """A leaderboard adds up what it is told twice."""
    score = Memory.score

    def twice(self: Memory, key: str, member: str, value: int, seconds: int) -> None:
        known = self.scores(key).get(member)
        if known is None:
            score(self, key, member, value, seconds)
        else:
            self.replace_scores(key, self.scores(key) | {member: known + value}, seconds)

    with _instead(Memory, "score", twice):
        yield


@contextmanager
def plays_a_resent_move_again() -> Iterator[None]:
    """A command's number is not looked at."""
    command = Attempts.command

    async def anyhow(
        self: Attempts, attempt: AttemptId, player: PlayerId, seq: int, what: Play | Resign
    ) -> Answer:
        state = await self.find(attempt)
        return await command(self, attempt, player, state.seq + 1 if state else seq, what)

    with _instead(Attempts, "command", anyhow):
        yield


@contextmanager
def appends_at_any_time() -> Iterator[None]:
    """A node with a wrong clock ends attempts before their time is up."""
    with _instead(journal, "CLOCK_TOLERANCE", 10**15):
        yield


@contextmanager
def never_looks_at_the_clock_again() -> Iterator[None]:
    """A node whose clock has jumped shows cards early."""
    sample = SimulatedClock.sample

    async def once(self: SimulatedClock) -> None:
        if self._bounds is None:
            await sample(self)

    with _instead(SimulatedClock, "sample", once):
        yield


@contextmanager
def forgets_a_deadline_that_has_not_passed() -> Iterator[None]:
    """A deadline that a wrong clock saw counts as passed, though nothing was ended."""
    pass_deadline = Rooms.pass_deadline

    async def anyhow(self: Rooms, code: RoomCode) -> bool:
        await pass_deadline(self, code)
        return True

    with _instead(Rooms, "pass_deadline", anyhow):
        yield


@contextmanager
def follows_whatever_stands() -> Iterator[None]:
    """An append looks at the number of the last entry alone, which may be another one by now.

    That matters only where the store has lost something: here it does so in every race.
    """
    append = Memory.append

    def anyhow(self: Memory, entry: Append, previous: str, now: int) -> None:
        append(self, entry, "".join(self.stream(entry.key)[-1:]), now)

    with _instead(Memory, "append", anyhow), _instead(race, "TAIL_LOST", 1.0):
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
    follows_whatever_stands,
]
"""All of them."""
