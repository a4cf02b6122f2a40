"""A replica of a journal in memory: the state folded from its entries, and appends to the journal.

The journal in Redis is the source of truth (event sourcing). A replica may lag behind it, which
optimistic concurrency control detects: Redis refuses an append from a stale replica, the missing
entries are read, and the command is decided again. It is also decided again when the node's clock
was wrong, after the clock has been corrected. After the connection to Redis was lost, a replica is
validated against the journal before it is used again.

Most commands find a replica that is current and idle. They are decided synchronously, without a
task or a lock, and their entries are sent with the next batch of writes.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from server.base.core.refusal import Refusal, UnavailableError
from server.base.journals.store import (
    Append,
    ConflictError,
    Entries,
    GapError,
    JournalStore,
    MistimedError,
    is_checkpoint,
)
from server.base.work.clock import Clock
from server.base.work.tasks import run_soon

State = TypeVar("State")
Event = TypeVar("Event")
Event_co = TypeVar("Event_co", covariant=True)

KEEP_EVERY = 64
"""Entries between two kept states, from which recent entries can be folded again."""

EMPTY_SIZE = 1_000
"""About how many bytes a replica takes that has no state."""

YIELD_EVERY = 100
"""Entries that are folded before yielding to the event loop: about half a millisecond."""

MAX_MISTIMED = 5
"""Appends in a row that may be refused for a wrong clock before a command fails."""


class Definition(Protocol[State, Event]):
    """How the entries of one type of journal are read, folded and written."""

    def key(self) -> str:
        """Return the key of the stream."""

    def decode(self, text: str) -> Event:
        """Return the event that an entry's text (JSON) encodes."""

    def fold(self, state: State | None, event: Event) -> State:
        """Return the state after an event."""

    def due(self, state: State, now: int) -> Event | None:
        """Return the event that is due at a time (Unix milliseconds) without a command, if any."""

    def checkpoint(self, state: State) -> Event | None:
        """Return the event that says all that the entries before it do, if it is time for one."""

    def kept_until(self, state: State) -> int:
        """Return the time (Unix milliseconds) until which the journal is certainly kept."""

    def size(self, state: State, oldest: State | None) -> int:
        """Return about how many bytes a replica takes, in constant time.

        Args:
            state: its state.
            oldest: the oldest state that it keeps beside it, if any.
        """

    def append(self, before: State | None, after: State, event: Event, number: int) -> Append:
        """Return the append of an event as entry `number`, and what is written with it."""

    def appended(self, before: State | None, after: State, append: Append) -> None:
        """Handle that an append of this node has been accepted."""


@dataclass(frozen=True, slots=True)
class Step(Generic[State]):
    """The states before and after a command; the same object if nothing has changed."""

    before: State | None
    after: State


class Command(Protocol[State, Event_co]):
    """A command that is decided synchronously, and is notified of its outcome."""

    def decide(self, state: State | None, now: int) -> tuple[Event_co, State]:
        """Return the event that carries the command out, and the state after it.

        Called again if the state turns out to be stale.

        Raises:
            Refusal: the command is refused.
        """

    def finish(self, after: State | None, error: Exception | None) -> None:
        """Handle the outcome: the state after the event, or why it was not appended.

        The error is a `Refusal`, or an `UnavailableError` if it is not known whether the event was
        appended.
        """


@dataclass(frozen=True, slots=True)
class _Unconfirmed(Generic[State]):
    """An append without a reply: it may have been accepted or not."""

    before: State | None
    after: State
    append: Append


class Replica(Generic[State, Event]):
    """This node's replica of one journal.

    A lock orders reads and appends: at most one append is in flight.
    """

    __slots__ = (
        "_accepted",
        "_begin",
        "_clock",
        "_definition",
        "_generation",
        "_journals",
        "_kept",
        "_last",
        "_locked",
        "_mistimed",
        "_pending",
        "_seq",
        "_state",
        "_unconfirmed",
        "_waiters",
    )

    def __init__(
        self, journals: JournalStore, clock: Clock, definition: Definition[State, Event]
    ) -> None:
        self._journals = journals
        self._clock = clock
        self._definition = definition
        self._locked = False
        self._waiters: deque[asyncio.Future[None]] | None = None
        self._state: State | None = None
        self._seq = 0
        self._begin = 1
        self._last = ""
        self._accepted = 0
        self._generation = 0
        self._kept: tuple[tuple[int, State | None], ...] = ((0, None),)
        self._mistimed = 0
        self._unconfirmed: _Unconfirmed[State] | None = None
        self._pending: tuple[Command[State, Event], Append, State] | None = None

    @property
    def state(self) -> State | None:
        """The state as of the last entry known here, or `None` if no entry is."""
        return self._state

    @property
    def number(self) -> int:
        """The number of the last entry known here, or 0 if none is."""
        return self._seq

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        state = self._state
        return EMPTY_SIZE if state is None else self._definition.size(state, self._kept[0][1])

    @property
    def settled(self) -> State | None:
        """The state if the replica is idle; `None` while it reads or appends, or is empty."""
        return None if self._locked else self._state

    async def refresh(self) -> State | None:
        """Read new entries, append events that are due by now, and return the state after them.

        Returns:
            `None` if there is no journal.
        """
        await self._acquire()
        try:
            await self._read()
            await self._append_due()
            return self._state
        finally:
            self._release()

    @property
    def is_unchecked(self) -> bool:
        """Whether this node has appended to the journal, on no connection that is open now."""
        return self._accepted > 0 and not self._is_current()

    async def check(self) -> None:
        """Read new entries, unless that was done on the connection that is open now.

        Raises:
            UnreadableError: a newer release has appended an entry, or entries are missing.
        """
        await self._acquire()
        try:
            if self.is_unchecked:
                await self._read()
        finally:
            self._release()

    async def since(self, number: int) -> tuple[State | None, list[str]] | None:
        """Return the entries from `number` on.

        Returns:
            The last state kept before that entry, and the texts of all entries after it; `None` if
            the entry is older than the kept states, or unknown here.
        """
        for seq, state in reversed(self._kept):
            if seq < number <= self._seq:
                found = await self._journals.read_from(self._definition.key(), seq + 1)
                return state, found
        return None

    def receive(self, number: int, text: str) -> bool:
        """Apply entry `number`, which another node has appended and published.

        Returns:
            Whether the replica includes that entry now; if not, it must be refreshed. An entry
            before the last one counts as included, as its text is not kept here.
        """
        if self._locked or not self._is_current():
            return False
        if number == self._seq + 1:
            self._fold(text)
        return number < self._seq or (number, text) == (self._seq, self._last)

    def submit_soon(self, command: Command[State, Event]) -> None:
        """Carry out a command without waiting; its `finish` is called later with the outcome."""
        if self._locked:
            self._submit_later(command)
            return
        state, now = self._state, self._clock.now()
        try:
            if state is not None and self._definition.due(state, now) is not None:
                self._submit_later(command)
                return
            event, after = command.decide(state, now)
            append = self._definition.append(state, after, event, self._seq + 1)
        except Exception:
            # A refusal is final only on a fresh state, and an unexpected error is to be reported to
            # the command: the task decides again, and does both.
            self._submit_later(command)
            return
        if append.alone and self._journals.append_soon(
            append, now, self._generation, self._appended, self._last
        ):
            self._locked = True
            self._pending = command, append, after
        else:
            self._submit_later(command)

    def _appended(self, error: Exception | None, generation: int) -> None:
        """Handle the reply to an append of `submit_soon`."""
        assert self._pending is not None, "one append is in flight at a time"
        command, append, after = self._pending
        self._pending = None
        if error is None:
            before = self._state
            self._accept(append, after, generation)
            self._release()
            self._tell_appended(before, after, append)
            command.finish(after, None)
            return
        self._generation = 0
        if isinstance(error, UnavailableError):
            self._unconfirmed = _Unconfirmed(self._state, after, append)
        self._release()
        if isinstance(error, UnavailableError):
            command.finish(None, error)
        else:
            self._submit_later(command, mistimed=isinstance(error, MistimedError))

    def _submit_later(self, command: Command[State, Event], *, mistimed: bool = False) -> None:
        """Carry out a command in a task, since something has to be read or awaited first."""
        run_soon(self._submit_command(command, mistimed=mistimed))

    async def _submit_command(self, command: Command[State, Event], *, mistimed: bool) -> None:
        try:
            if mistimed:
                await self._clock.sample()

            def decide(state: State | None, now: int) -> Event:
                return command.decide(state, now)[0]

            after = (await self.submit(decide)).after
        except Exception as error:
            # Not kept in a variable: it would be in a circle with this frame, and the session too.
            command.finish(None, error)
        else:
            command.finish(after, None)

    async def submit(self, decide: Callable[[State | None, int], Event | None]) -> Step[State]:
        """Decide a command on the state and the time, and append the resulting event.

        Args:
            decide: called with the state and the time in Unix milliseconds; returns an event, or
                `None` if there is nothing to do. It is called again with a fresh state if it
                refused on one that may be stale, or returned `None`, or the append was refused.

        Raises:
            Refusal: the command is refused.
        """
        await self._acquire()
        try:
            # A journal without known entries is assumed to be new: if not, the append is refused.
            fresh = self._seq > 0 and not self._is_current()
            if fresh:
                await self._read()
            while True:
                now = await self._append_due()
                if not await self._append_checkpoint(now):
                    continue
                before = self._state
                try:
                    event = decide(before, now)
                except Refusal:
                    if fresh:
                        raise
                    event = None
                if event is not None:
                    if await self._append(event, now):
                        assert self._state is not None
                        return Step(before, self._state)
                elif fresh:
                    assert before is not None, "`decide` returns `None` only for a journal"
                    return Step(before, before)
                else:
                    await self._read()
                fresh = True
        finally:
            self._release()

    def _is_current(self) -> bool:
        """Return whether the replica was read or appended to on the connection that is open now."""
        generation = self._generation
        return generation != 0 and generation == self._journals.generation(self._definition.key())

    async def _acquire(self) -> None:
        """Acquire the lock of this replica, after those who have waited longer."""
        if not self._locked:
            self._locked = True
            return
        waiter = asyncio.get_running_loop().create_future()
        if self._waiters is None:
            self._waiters = deque()
        self._waiters.append(waiter)
        try:
            await waiter
        except asyncio.CancelledError:
            if not waiter.cancelled():
                self._release()
            raise

    def _release(self) -> None:
        """Pass the lock to the first waiter, or release it."""
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.set_result(None)
                return
        self._waiters = None
        self._locked = False

    async def _append_due(self) -> int:
        """Append the events that are due, and return a time at which no more are."""
        while True:
            now = self._clock.now()
            event = self._definition.due(self._state, now) if self._state is not None else None
            if event is None:
                return now
            await self._append(event, now)

    async def _append_checkpoint(self, now: int) -> bool:
        """Append a checkpoint if it is time for one: before what a command appends in any case.

        Returns:
            Whether the state is as it was but for that; if not, what is due may be, too.
        """
        state = self._state
        event = self._definition.checkpoint(state) if state is not None else None
        return event is None or await self._append(event, now)

    async def _append(self, event: Event, now: int) -> bool:
        """Append an event that was decided at a time (Unix milliseconds).

        Returns:
            Whether it was accepted. If not, the replica or the clock has been corrected, and the
            command is to be decided again.

        Raises:
            UnavailableError: the store does not answer, or has refused the time too often.
        """
        after = self._definition.fold(self._state, event)
        before, generation = self._state, self._generation
        append = self._definition.append(before, after, event, self._seq + 1)
        self._generation = 0
        try:
            # Generation 0 (entries read while their slot was migrating) is passed as `None`: the
            # previous entry alone is compared.
            known = await self._journals.append(append, now, generation or None, self._last)
        except ConflictError:
            await self._read()
            return False
        except MistimedError as error:
            self._mistimed += 1
            if self._mistimed > MAX_MISTIMED:
                raise UnavailableError(str(error)) from error
            await self._clock.sample()
            self._generation = generation
            return False
        except UnavailableError:
            self._unconfirmed = _Unconfirmed(before, after, append)
            raise
        self._accept(append, after, known)
        self._tell_appended(before, after, append)
        return True

    def _tell_appended(self, before: State | None, after: State, append: Append) -> None:
        """Tell of an append that has been accepted.

        An exception goes to the event loop's exception handler: the entry is stored, and whoever
        asked for it gets the answer that it is.
        """
        try:
            self._definition.appended(before, after, append)
        except Exception as error:
            asyncio.get_running_loop().call_exception_handler(
                {"message": "What follows an entry failed.", "exception": error}
            )

    def _accept(self, append: Append, after: State, generation: int) -> None:
        """Set the state after an append that has been accepted on a connection's generation."""
        self._state = after
        self._follow(append.number, append.payload)
        self._accepted = append.number
        self._generation = generation
        self._mistimed = 0

    def _follow(self, number: int, text: str) -> None:
        """Note that the state is that after an entry."""
        self._seq, self._last = number, text
        if is_checkpoint(text):
            self._begin = number
        if not number % KEEP_EVERY:
            self._keep_state()

    def _keep_state(self) -> None:
        """Add the current state to the kept ones, which are the last two.

        Clients that are further behind get a snapshot in any case.
        """
        self._kept = (*self._kept[-1:], (self._seq, self._state))

    async def _read(self) -> None:
        """Read and fold new entries; all of them, if the journal lacks the replica's last entry.

        Raises:
            GapError: an entry before others is missing.
        """
        key = self._definition.key()
        try:
            found = (
                await self._journals.read_on(key, self._seq, self._last, self._begin)
                if self._seq
                else None
            )
            if found is None:
                found = await self._journals.read(key)
                self._forget(key, self._count_lost(found))
                self._seq = found.first - 1
        except GapError:
            self._forget(key, lost=int(self._accepted > 0))
            raise
        unconfirmed, self._unconfirmed = self._unconfirmed, None
        for count, text in enumerate(found.texts, 1):
            self._fold(text)
            if not count % YIELD_EVERY:
                await asyncio.sleep(0)
            if unconfirmed is not None and (self._seq, text) == (
                unconfirmed.append.number,
                unconfirmed.append.payload,
            ):
                self._tell_appended(unconfirmed.before, unconfirmed.after, unconfirmed.append)
        self._generation = found.generation

    def _forget(self, key: str, lost: int) -> None:
        """Forget all entries, and tell how many of this node's the journal lacks, at least."""
        if lost:
            self._journals.note_lost(key, lost)
        self._state, self._seq, self._last, self._generation = None, 0, "", 0
        self._accepted, self._kept, self._begin = 0, ((0, None),), 1

    def _count_lost(self, found: Entries) -> int:
        """Return how many entries that this node has appended a journal lacks, at least.

        Args:
            found: what it has, which does not include the last entry that is known here. It may
                begin with a checkpoint that has followed that: then nothing is lost.
        """
        state = self._state
        if found.first > self._seq:
            return 0
        if not found.texts and state is not None:
            has_expired = self._definition.kept_until(state) <= self._clock.now()
            return 0 if has_expired else self._accepted
        replaced = self._accepted == self._seq > 0
        return max(self._accepted - found.last, int(replaced))

    def _fold(self, text: str) -> None:
        self._state = self._definition.fold(self._state, self._definition.decode(text))
        self._follow(self._seq + 1, text)
