"""A replica of a journal in memory: the state folded from its entries, and how it is appended to.

The journal in Redis is the source of truth (event sourcing); a replica may lag behind it, and is
corrected by optimistic concurrency control: an append on a stale replica is refused by Redis, the
missing entries are read, and the command is decided again. The same happens when the node's clock
was wrong. When the connection to Redis was lost, the replica is validated against the journal
before it is used again.

Most commands find a replica that is current and idle. They are decided at once, without a task or
a lock, and their entries go out with the next batch of writes.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from server.core.refusal import Refusal, UnavailableError
from server.service.tasks import run_soon
from server.store.clock import Clock
from server.store.journal import Append, ConflictError, Journals, MistimedError

State = TypeVar("State")
Event = TypeVar("Event")
Event_co = TypeVar("Event_co", covariant=True)

CHECKPOINT_EVERY = 64
"""Entries between two checkpoints: states that are kept so that later entries can be folded without
starting from the first."""

YIELD_EVERY = 100
"""Entries that are folded before control returns to the event loop: about half a millisecond."""

MOST_MISTIMED = 5
"""How often in a row a command is decided again because the clock was wrong."""


class Definition(Protocol[State, Event]):
    """What the journals of one type have in common: how entries are read, folded and written."""

    def key(self) -> str:
        """Return the key of the stream."""

    def decode(self, text: str) -> Event:
        """Return the event that an entry's text (JSON) stands for."""

    def fold(self, state: State | None, event: Event) -> State:
        """Return the state after an event."""

    def due(self, state: State, now: int) -> Event | None:
        """Return the event that is due at a time (Unix milliseconds) without a command, if any."""

    def append(self, before: State | None, after: State, event: Event, number: int) -> Append:
        """Return the append of an event as entry `number`, with what is written with it."""

    def appended(self, before: State | None, after: State, append: Append) -> None:
        """Handle that an append of this node has been accepted."""


@dataclass(frozen=True, slots=True)
class Step(Generic[State]):
    """The outcome of a command: the states before and after it, the same if nothing changed."""

    before: State | None
    after: State


class Command(Protocol[State, Event_co]):
    """A command that is decided synchronously and gets its outcome by a callback."""

    def decide(self, state: State | None, now: int) -> tuple[Event_co, State]:
        """Return the event that the command becomes, and the state after it.

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
class _Doubt(Generic[State]):
    """An append without an answer: it may have been accepted or not."""

    before: State | None
    after: State
    append: Append


class Replica(Generic[State, Event]):
    """This node's replica of one journal."""

    __slots__ = (
        "_busy",
        "_checkpoints",
        "_clock",
        "_definition",
        "_doubt",
        "_generation",
        "_journals",
        "_last",
        "_mistimed",
        "_pending",
        "_seq",
        "_state",
        "_waiting",
    )

    def __init__(
        self, journals: Journals, clock: Clock, definition: Definition[State, Event]
    ) -> None:
        self._journals = journals
        self._clock = clock
        self._definition = definition
        self._busy = False
        self._waiting: deque[asyncio.Future[None]] | None = None
        self._state: State | None = None
        self._seq = 0
        self._last = ""
        self._generation = 0
        self._checkpoints: tuple[tuple[int, State | None], ...] = ((0, None),)
        self._mistimed = 0
        self._doubt: _Doubt[State] | None = None
        self._pending: tuple[Command[State, Event], Append, State] | None = None

    @property
    def state(self) -> State | None:
        """The state as of the last entry known here, or `None` if no entry is."""
        return self._state

    @property
    def settled(self) -> State | None:
        """The state if the replica is idle; `None` while it reads or appends, or is empty."""
        return None if self._busy else self._state

    async def refresh(self) -> State | None:
        """Read new entries, and return the state as it is now; `None` if there is no journal.

        What is due by now is appended first.

        Raises:
            UnavailableError: the store does not answer.
        """
        await self._enter()
        try:
            await self._read()
            await self._pass_time()
            return self._state
        finally:
            self._leave()

    async def since(self, number: int) -> tuple[State | None, list[str]] | None:
        """Return the entries from `number` on.

        Returns:
            A checkpoint's state at or before that entry, and the texts of all entries after the
            checkpoint; `None` if the entry is older than the last two checkpoints, or not there.

        Raises:
            UnavailableError: the store does not answer.
        """
        for seq, state in reversed(self._checkpoints):
            if seq < number <= self._seq:
                found = await self._journals.read_from(self._definition.key(), seq + 1)
                return state, found
        return None

    def receive(self, number: int, text: str) -> bool:
        """Apply entry `number`, which another node has appended and published.

        Returns:
            Whether the replica includes that entry now; if not, it must be refreshed.
        """
        if self._busy or not self._is_current():
            return False
        if number == self._seq + 1:
            self._fold(text)
        return self._seq >= number

    def submit_soon(self, command: Command[State, Event]) -> None:
        """Carry out a command; its `finish` is called later with the outcome."""
        if self._busy:
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
            # A refusal counts only on a fresh state; an error is raised again, and reported, there.
            self._submit_later(command)
            return
        if append.alone and self._journals.append_soon(
            append, now, self._generation, self._appended, self._last
        ):
            self._busy = True
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
            self._stands(append, after, generation)
            self._leave()
            self._definition.appended(before, after, append)
            command.finish(after, None)
            return
        self._generation = 0
        if isinstance(error, UnavailableError):
            self._doubt = _Doubt(self._state, after, append)
        self._leave()
        if isinstance(error, UnavailableError):
            command.finish(None, error)
        else:
            self._submit_later(command, mistimed=isinstance(error, MistimedError))

    def _submit_later(self, command: Command[State, Event], *, mistimed: bool = False) -> None:
        """Carry out a command in a task, since something must be read or awaited."""
        run_soon(self._submit_command(command, mistimed=mistimed))

    async def _submit_command(self, command: Command[State, Event], *, mistimed: bool) -> None:
        after: State | None = None
        problem: Exception | None = None
        try:
            if mistimed:
                await self._clock.sample()

            def decide(state: State | None, now: int) -> Event:
                return command.decide(state, now)[0]

            after = (await self.submit(decide)).after
        except Exception as error:
            problem = error
        command.finish(after, problem)

    async def submit(self, decide: Callable[[State | None, int], Event | None]) -> Step[State]:
        """Decide a command on the state and the time, and append the event that it becomes.

        `decide` may be called more than once: a refusal, or nothing to do (`None`), counts only on
        a fresh state, and an event only once it has been appended.

        Raises:
            Refusal: the command is refused.
            UnavailableError: the store does not answer; the event may have been appended or not.
        """
        await self._enter()
        try:
            # A journal without known entries is taken for new: the first append finds out.
            fresh = self._seq > 0 and not self._is_current()
            if fresh:
                await self._read()
            while True:
                now = await self._pass_time()
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
                    assert before is not None, "nothing to do means that it is done"
                    return Step(before, before)
                else:
                    await self._read()
                fresh = True
        finally:
            self._leave()

    def _is_current(self) -> bool:
        """Return whether the replica was read on the connection that is open now."""
        generation = self._generation
        return generation != 0 and generation == self._journals.generation(self._definition.key())

    async def _enter(self) -> None:
        """Wait for the lock of this replica: one append is in flight at a time."""
        if not self._busy:
            self._busy = True
            return
        turn = asyncio.get_running_loop().create_future()
        if self._waiting is None:
            self._waiting = deque()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self._leave()
            raise

    def _leave(self) -> None:
        """Release the lock, to whoever has waited longest."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._waiting = None
        self._busy = False

    async def _pass_time(self) -> int:
        """Append what is due, and return a time at which nothing is due any more."""
        while True:
            now = self._clock.now()
            event = self._definition.due(self._state, now) if self._state is not None else None
            if event is None:
                return now
            await self._append(event, now)

    async def _append(self, event: Event, now: int) -> bool:
        """Append an event that was decided at a time; return whether it was accepted.

        If not, the cause has been corrected: the replica has been refreshed, or the clock.
        """
        after = self._definition.fold(self._state, event)
        before, generation = self._state, self._generation
        append = self._definition.append(before, after, event, self._seq + 1)
        self._generation = 0
        try:
            # Entries that were read while their slot was migrating belong to no generation.
            known = await self._journals.append(append, now, generation or None, self._last)
        except ConflictError:
            await self._read()
            return False
        except MistimedError as error:
            self._mistimed += 1
            if self._mistimed > MOST_MISTIMED:
                raise UnavailableError(str(error)) from error
            await self._clock.sample()
            self._generation = generation
            return False
        except UnavailableError:
            self._doubt = _Doubt(before, after, append)
            raise
        self._stands(append, after, known)
        self._definition.appended(before, after, append)
        return True

    def _stands(self, append: Append, after: State, generation: int) -> None:
        self._state, self._seq, self._last = after, append.number, append.payload
        self._generation = generation
        self._mistimed = 0
        if not append.number % CHECKPOINT_EVERY:
            self._keep_checkpoint()

    def _keep_checkpoint(self) -> None:
        """Keep this state as a checkpoint, and the one before.

        The start is kept only until then: clients that are further behind than two checkpoints get
        a snapshot in any case.
        """
        self._checkpoints = (*self._checkpoints[-1:], (self._seq, self._state))

    async def _read(self) -> None:
        """Read and fold new entries; all, if the replica's last one is not in the journal."""
        key = self._definition.key()
        found = await self._journals.read_on(key, self._seq, self._last) if self._seq else None
        if found is None:
            self._state, self._seq, self._last, self._generation = None, 0, "", 0
            self._checkpoints = ((0, None),)
            found = await self._journals.read(key)
        doubt, self._doubt = self._doubt, None
        for count, text in enumerate(found.texts, 1):
            self._fold(text)
            if not count % YIELD_EVERY:
                await asyncio.sleep(0)
            if doubt is not None and (self._seq, text) == (
                doubt.append.number,
                doubt.append.payload,
            ):
                self._definition.appended(doubt.before, doubt.after, doubt.append)
        self._generation = found.generation

    def _fold(self, text: str) -> None:
        self._state = self._definition.fold(self._state, self._definition.decode(text))
        self._seq += 1
        self._last = text
        if not self._seq % CHECKPOINT_EVERY:
            self._keep_checkpoint()
