"""A journal held in memory: its state, and the one way in which it grows.

Nothing here is truth; the journal is. A node that lags finds out when its append is refused,
reads what it missed, and decides again; one whose clock is wrong looks at the clock, and decides
again; one that remembers what Redis has lost forgets it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from server.core.refusal import Refusal, UnavailableError
from server.store.clock import Clock
from server.store.journal import Append, ConflictError, Journals, MistimedError

State = TypeVar("State")
Event = TypeVar("Event")

MOST_HELD = 5_000
"""Journals of a kind held at once; the least recently used one is forgotten first."""


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
        """Be told that an event of this node stands."""


@dataclass(frozen=True, slots=True)
class Step(Generic[State]):
    """What a command did: the state that it was decided on, and the one after it."""

    before: State | None
    after: State


@dataclass(frozen=True, slots=True)
class _Doubt(Generic[State]):
    """An append that was not answered: it may stand or not."""

    before: State | None
    after: State
    append: Append


class Held(Generic[State, Event]):
    """One journal, held by this node."""

    def __init__(self, journals: Journals, clock: Clock, kind: Kind[State, Event]) -> None:
        self._journals = journals
        self._clock = clock
        self._kind = kind
        self._lock = asyncio.Lock()
        self._state: State | None = None
        self._seq = 0
        self._last = ""
        self._known = False
        self._mistimed = 0
        self._doubt: _Doubt[State] | None = None

    @property
    def state(self) -> State | None:
        """The state as it was when this node last heard of it."""
        return self._state

    def receive(self, number: int, text: str) -> bool:
        """Take an entry that another node has appended, if it is the next one.

        Returns:
            Whether the state is now at this entry at least. If not, it is to be read.
        """
        if not self._known or self._lock.locked():
            return False
        if number <= self._seq:
            return True
        if number > self._seq + 1:
            return False
        self._state = self._kind.fold(self._state, self._kind.decode(text))
        self._seq, self._last = number, text
        return True

    async def look(self) -> State | None:
        """Return the state as it is now, or `None` if there is no journal.

        Raises:
            UnavailableError: the store does not answer.
        """
        async with self._lock:
            await self._read()
            await self._pass_time()
            return self._state

    async def submit(self, decide: Callable[[State | None, int], Event | None]) -> Step[State]:
        """Decide a command on the state and the time, and append what it becomes.

        `decide` may be called more than once: a refusal, or that there is nothing to do (`None`),
        counts only on a state that is fresh, and an event only if it stands.

        Raises:
            Refusal: the command is not carried out.
            UnavailableError: the store does not answer; the event may stand or not.
        """
        async with self._lock:
            fresh = not self._known
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
        before, number = self._state, self._seq + 1
        append = self._kind.append(before, after, event, number)
        self._known = False
        try:
            await self._journals.append(append, self._last, now)
        except ConflictError:
            await self._read()
            return False
        except MistimedError as error:
            self._mistimed += 1
            if self._mistimed > MOST_MISTIMED:
                raise UnavailableError(str(error)) from error
            await self._clock.sample()
            self._known = True
            return False
        except UnavailableError:
            self._doubt = _Doubt(before, after, append)
            raise
        self._state, self._seq, self._last, self._known = after, number, append.payload, True
        self._mistimed = 0
        self._kind.appended(before, after, append)
        return True

    async def _read(self) -> None:
        """Fold what is new in the journal; all of it, if what is held does not stand there."""
        key = self._kind.key()
        texts = await self._journals.read_on(key, self._seq, self._last) if self._seq else None
        if texts is None:
            self._state, self._seq, self._last = None, 0, ""
            texts = await self._journals.read(key)
        doubt, self._doubt = self._doubt, None
        for text in texts:
            self._state = self._kind.fold(self._state, self._kind.decode(text))
            self._seq += 1
            self._last = text
            if doubt is not None and (self._seq, text) == (
                doubt.append.number,
                doubt.append.payload,
            ):
                self._kind.appended(doubt.before, doubt.after, doubt.append)
        self._known = True


Name = TypeVar("Name")


class Shelf(Generic[Name, State, Event]):
    """The journals of one kind that this node holds."""

    def __init__(self) -> None:
        self._held: OrderedDict[Name, Held[State, Event]] = OrderedDict()

    def find(self, name: Name) -> Held[State, Event] | None:
        """Return a journal that is held, or `None`."""
        found = self._held.get(name)
        if found is not None:
            self._held.move_to_end(name)
        return found

    def put(self, name: Name, held: Held[State, Event]) -> Held[State, Event]:
        """Hold a journal, unless it is held by now; return the one that is."""
        if len(self._held) >= MOST_HELD:
            self._held.popitem(last=False)
        return self._held.setdefault(name, held)
