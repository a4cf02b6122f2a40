"""A journal held in memory: its state, and the one way in which it grows.

Nothing here is truth; the journal is. A node that lags finds out when its append is refused,
reads what it missed, and decides again; one whose clock is wrong looks at the clock, and decides
again; one whose connection to Redis was lost looks again at what it remembers.

Most commands find a journal that is up to date and that nobody else is appending to. They are
decided at once, without a task or a lock, and their entries go out in the next batch.
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
"""Entries between two states that are kept, so that what came after one need not be counted from
the start."""

YIELD_EVERY = 100
"""Entries that are folded before others have a turn: about half a millisecond."""

MOST_MISTIMED = 5
"""How often in a row a decision is made again because the clock was wrong."""


class Kind(Protocol[State, Event]):
    """What the journals of one kind have in common."""

    def key(self) -> str:
        """Return the key of the stream."""

    def decode(self, text: str) -> Event:
        """Return the event that an entry's text says."""

    def fold(self, state: State | None, event: Event) -> State:
        """Return the state after an event."""

    def due(self, state: State, now: int) -> Event | None:
        """Return what the time alone has brought about."""

    def append(self, before: State | None, after: State, event: Event, number: int) -> Append:
        """Return the append of an event, with what is to be written together with it."""

    def appended(self, before: State | None, after: State, append: Append) -> None:
        """Be told that an event of this node stands, by this append."""


@dataclass(frozen=True, slots=True)
class Step(Generic[State]):
    """What a command did: the state that it was decided on, and the one after it."""

    before: State | None
    after: State


class Command(Protocol[State, Event_co]):
    """A command that is decided without waiting, and is told what became of it."""

    def decide(self, state: State | None, now: int) -> tuple[Event_co, State]:
        """Return the event that the command becomes, and the state after it.

        Called again if what it was decided on turns out to be old.

        Raises:
            Refusal: the command is not carried out.
        """

    def finish(self, after: State | None, error: Exception | None) -> None:
        """Be told that the event stands, with the state after it, or why it does not.

        The error is a `Refusal`, or an `UnavailableError` if the event may stand or not.
        """


@dataclass(frozen=True, slots=True)
class _Doubt(Generic[State]):
    """An append that was not answered: it may stand or not."""

    before: State | None
    after: State
    append: Append


class Held(Generic[State, Event]):
    """One journal, held by this node."""

    __slots__ = (
        "_busy",
        "_checkpoints",
        "_clock",
        "_doubt",
        "_generation",
        "_journals",
        "_kind",
        "_last",
        "_mistimed",
        "_pending",
        "_seq",
        "_state",
        "_waiting",
    )

    def __init__(self, journals: Journals, clock: Clock, kind: Kind[State, Event]) -> None:
        self._journals = journals
        self._clock = clock
        self._kind = kind
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
        """The state as far as it is known here, or `None`."""
        return self._state

    @property
    def settled(self) -> State | None:
        """The state if nobody is reading or appending; else, and if there is none, `None`."""
        return None if self._busy else self._state

    async def look(self) -> State | None:
        """Return the state as it is now, or `None` if there is no journal.

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
        """Return the state before entry `number` or an earlier one, and the texts of the rest.

        Returns:
            `None` if that is too long ago, or there is no such entry.

        Raises:
            UnavailableError: the store does not answer.
        """
        for seq, state in reversed(self._checkpoints):
            if seq < number <= self._seq:
                found = await self._journals.read_from(self._kind.key(), seq + 1)
                return state, found
        return None

    def receive(self, number: int, text: str) -> bool:
        """Take entry `number` from another node that has appended it.

        Returns:
            Whether the state is now at that entry or a later one; if not, it is to be read.
        """
        if self._busy or not self._is_current():
            return False
        if number == self._seq + 1:
            self._fold(text)
        return self._seq >= number

    def submit_soon(self, command: Command[State, Event]) -> None:
        """Carry out a command; it is told later what became of it."""
        if self._busy:
            self._submit_later(command)
            return
        state, now = self._state, self._clock.now()
        try:
            if state is not None and self._kind.due(state, now) is not None:
                self._submit_later(command)
                return
            event, after = command.decide(state, now)
            append = self._kind.append(state, after, event, self._seq + 1)
        except Exception:
            # A refusal counts only on a state that is fresh; a fault comes again, and is answered.
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
        """Go on after an append that nobody has waited for."""
        assert self._pending is not None, "one append is in flight at a time"
        command, append, after = self._pending
        self._pending = None
        if error is None:
            before = self._state
            self._stands(append, after, generation)
            self._leave()
            self._kind.appended(before, after, append)
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
        """Carry a command out in a task of its own: something must be read or waited for."""
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
        """Decide a command on the state and the time, and append what it becomes.

        `decide` may be called more than once: a refusal, or that there is nothing to do (`None`),
        counts only on a state that is fresh, and an event only if it stands.

        Raises:
            Refusal: the command is not carried out.
            UnavailableError: the store does not answer; the event may stand or not.
        """
        await self._enter()
        try:
            # A journal of which nothing is known is taken for new: the first append finds out.
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
        """Return whether what is held belongs to the connection that there is."""
        generation = self._generation
        return generation != 0 and generation == self._journals.generation(self._kind.key())

    async def _enter(self) -> None:
        """Wait until nobody else is at work on this journal: one append is in flight at a time."""
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
        """Hand over to whoever has waited longest: a command that comes now comes after them."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._waiting = None
        self._busy = False

    async def _pass_time(self) -> int:
        """Append what has fallen due, and return the time at which nothing has any more."""
        while True:
            now = self._clock.now()
            event = self._kind.due(self._state, now) if self._state is not None else None
            if event is None:
                return now
            await self._append(event, now)

    async def _append(self, event: Event, now: int) -> bool:
        """Append an event decided at a time; return whether it stands.

        If not, what made Redis refuse it has been mended: the state is up to date, or the clock.
        """
        after = self._kind.fold(self._state, event)
        before, generation = self._state, self._generation
        append = self._kind.append(before, after, event, self._seq + 1)
        self._generation = 0
        try:
            # What was read while its slot was on its way is of no generation.
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
        self._kind.appended(before, after, append)
        return True

    def _stands(self, append: Append, after: State, generation: int) -> None:
        self._state, self._seq, self._last = after, append.number, append.payload
        self._generation = generation
        self._mistimed = 0
        if not append.number % CHECKPOINT_EVERY:
            self._keep_checkpoint()

    def _keep_checkpoint(self) -> None:
        """Keep the state to count from when somebody asks what came after it, and the one before.

        The start is kept only until then: what is further back than two checkpoints is not asked
        for by anyone who could make use of it.
        """
        self._checkpoints = (*self._checkpoints[-1:], (self._seq, self._state))

    async def _read(self) -> None:
        """Fold what is new in the journal; all of it, if what is held does not stand there."""
        key = self._kind.key()
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
                self._kind.appended(doubt.before, doubt.after, doubt.append)
        self._generation = found.generation

    def _fold(self, text: str) -> None:
        self._state = self._kind.fold(self._state, self._kind.decode(text))
        self._seq += 1
        self._last = text
        if not self._seq % CHECKPOINT_EVERY:
            self._keep_checkpoint()
