"""How a replica follows its journal and appends to it: a state machine without I/O.

What a replica does is a generator (a job). It yields requests, and is resumed with the reply, or
with the error that the request ended with; it also yields notices, which need none. The driver
(`server/base/journals/replica.py`) carries the requests out, and sets the time. It runs one job at
a time, so that at most one append is in flight.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from enum import Enum
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, cast

from server.base.core.refusal import Refusal, UnavailableError
from server.base.journals.core.entry import (
    Append,
    ConflictError,
    Entries,
    GapError,
    MistimedError,
    is_checkpoint,
)

State = TypeVar("State")
Event = TypeVar("Event")

KEEP_EVERY = 64
"""Entries between two kept states, from which recent entries can be folded again."""

PAUSE_EVERY = 100
"""Entries that are folded before the event loop serves others: about half a millisecond."""

MAX_MISTIMED = 5
"""Appends in a row that may be refused for a wrong clock before a command fails."""


class Shared(Protocol):
    """An object that several states hold, and that is gone when none does any more."""

    @property
    def size(self) -> int:
        """About how many bytes it takes."""


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

    def shared(self, state: State) -> Shared | None:
        """Return what a state holds that those of other journals may hold too, if it takes much.

        It is the same for all states of a journal.
        """

    def append(self, before: State | None, after: State, event: Event, number: int) -> Append:
        """Return the append of an event as entry `number`, and what is written with it."""

    def appended(self, before: State | None, after: State, append: Append) -> None:
        """Handle that an append of this node has been accepted."""


class Step(NamedTuple, Generic[State]):
    """The states before and after an append of this node that has been accepted.

    Without an append there was nothing to do, and they are the same object.
    """

    before: State | None
    after: State
    append: Append | None


Decide = Callable[[State | None, int], tuple[Event, State] | None]
"""A command: called with the state and the time in Unix milliseconds, it returns the event that
carries it out and the state after that, or `None` if there is nothing to do. It raises a `Refusal`
if it is refused. It is called again if the state turns out to be stale."""


class Read(NamedTuple):
    """A request to read the entries after one; the reply is `Entries`.

    The reply is `None` if the journal has no such entry any more: see `JournalStore.read_on`.

    Attributes:
        after: the number of the last entry that is known; 0 to read all.
        last: the text of that entry.
        begin: the number of the entry that the journal begins with, as far as is known.
    """

    after: int = 0
    last: str = ""
    begin: int = 1


class Wait(Enum):
    """A request whose reply has no value."""

    CLOCK_SAMPLE = "the clock has been compared with the store's"
    PAUSE = "others have been served"


class Lost(NamedTuple):
    """A notice that the journal lacks at least so many entries that were acknowledged here."""

    entries: int


Output = Append | Read | Wait | Step[Any] | Lost
Result = TypeVar("Result")
Job = Generator[Output, Any, Result]
"""Something that a replica does, and what it returns.

An `Append` that it yields is a request to append that entry; the reply is the generation of the
connection on which that was done. The machine's time, `generation` and `last` say when that was
decided, and on what. A `Step` that it yields or returns is a notice that an append has been
accepted, and `Lost` is another.
"""


class ReplicaMachine(Generic[State, Event]):
    """The state of one journal as far as it is known here, and how it goes on.

    Attributes:
        time: the time in Unix milliseconds. The driver sets it before it resumes a job, except with
            the reply to an accepted append: the job then ends, or yields a notice first.
        state: the state as of the last entry known here, or `None` if no entry is.
        number: the number of that entry, or 0.
        last: its text, which is compared where the generation means nothing.
        generation: the generation of the connection on which that was last known to be the end of
            the journal; 0 for none.
        accepted: the number of the last entry that was appended by this node, or 0.
        kept: two earlier states by the number of their last entry, the older one first.
    """

    __slots__ = (
        "_begin",
        "_definition",
        "_mistimed",
        "_unconfirmed",
        "accepted",
        "generation",
        "kept",
        "last",
        "number",
        "state",
        "time",
    )

    def __init__(self, definition: Definition[State, Event]) -> None:
        self._definition = definition
        self.time = 0
        self.state: State | None = None
        self.number = 0
        self.generation = 0
        self.accepted = 0
        self.kept: tuple[tuple[int, State | None], ...] = ((0, None),)
        self.last = ""
        self._begin = 1
        self._mistimed = 0
        self._unconfirmed: Step[State] | None = None

    def carry_out(self, decide: Decide[State, Event] | None) -> Job[Step[State]]:
        """Append what is due, and the event of a command, decided on the state and the time.

        Nothing is read first: if the state is stale, the append is refused. A refusal, or that
        there is nothing to do, is final only on a state that has just been read.

        Args:
            decide: the command; `None` to read, and append no more than what is due.

        Raises:
            Refusal: the command is refused.
            UnavailableError: it is not known whether the event was appended.
        """
        is_fresh = False
        if decide is None:
            yield from self.read()
            is_fresh = True
        while True:
            before = self.state
            found = self._due(before, checkpoints=decide is not None)
            is_last = found is None
            if found is None and decide is not None:
                found = self._decided(decide, is_fresh=is_fresh)
            if found is None:
                if is_fresh:
                    return Step(before, cast("State", before), None)
                yield from self.read()
                is_fresh = True
                continue
            event, after = found
            append = self._definition.append(before, after, event, self.number + 1)
            try:
                self.generation = yield append
            except ConflictError:
                yield from self.read()
                is_fresh = True
            except MistimedError as error:
                self._mistimed += 1
                if self._mistimed > MAX_MISTIMED:
                    raise UnavailableError(str(error)) from error
                yield Wait.CLOCK_SAMPLE
            except UnavailableError:
                self.generation = 0
                self._unconfirmed = Step(before, after, append)
                raise
            else:
                self._accept(after, append)
                if is_last:
                    return Step(before, after, append)
                yield Step(before, after, append)

    def _due(self, state: State | None, *, checkpoints: bool) -> tuple[Event, State] | None:
        """Return an event that is due, or a checkpoint if it is time for one, and what is then."""
        if state is None:
            return None
        event = self._definition.due(state, self.time)
        if event is None and checkpoints:
            event = self._definition.checkpoint(state)
        return None if event is None else (event, self._definition.fold(state, event))

    def _decided(
        self, decide: Decide[State, Event], *, is_fresh: bool
    ) -> tuple[Event, State] | None:
        """Return the event of a command, and what is then; `None` if a refusal may be too early."""
        try:
            return decide(self.state, self.time)
        except Refusal:
            if is_fresh:
                raise
            return None

    def read(self) -> Job[None]:
        """Read and fold new entries; all of them, if the journal lacks the last one known here.

        Raises:
            GapError: an entry before others is missing.
        """
        try:
            found: Entries | None = None
            if self.number:
                found = yield Read(self.number, self.last, self._begin)
            if found is None:
                found = yield Read()
                yield from self._forget(self._count_lost(found))
                self.number = found.first - 1
        except GapError:
            yield from self._forget(int(self.accepted > 0))
            raise
        unconfirmed, self._unconfirmed = self._unconfirmed, None
        for count, text in enumerate(found.texts, 1):
            self.fold(text)
            if not count % PAUSE_EVERY:
                yield Wait.PAUSE
            if unconfirmed is not None:
                append = unconfirmed.append
                assert append is not None, "it was sent"
                if (append.number, append.payload) == (self.number, text):
                    yield unconfirmed
        self.generation = found.generation

    def fold(self, text: str) -> None:
        """Add the next entry."""
        self.state = self._definition.fold(self.state, self._definition.decode(text))
        self._follow(self.number + 1, text)

    def includes(self, number: int, text: str) -> bool:
        """Return whether an entry is known here.

        One before the last is taken for that entry, as its text is not kept.
        """
        return number < self.number or (number, text) == (self.number, self.last)

    def _accept(self, after: State, append: Append) -> None:
        """Take the state after an append that has been accepted."""
        self.state = after
        self._follow(append.number, append.payload)
        self.accepted = append.number
        self._mistimed = 0
        # One before it in this place, whose fate was unknown, was not written.
        self._unconfirmed = None

    def _follow(self, number: int, text: str) -> None:
        """Note that the state is that after an entry."""
        self.number, self.last = number, text
        if is_checkpoint(text):
            self._begin = number
        if not number % KEEP_EVERY:
            # Clients that are further behind get a snapshot in any case.
            self.kept = (*self.kept[-1:], (number, self.state))

    def _forget(self, lost: int) -> Job[None]:
        """Forget all entries, of which the journal lacks so many of this node's, at least."""
        self.state, self.number, self.last, self.generation = None, 0, "", 0
        self.accepted, self.kept, self._begin = 0, ((0, None),), 1
        if lost:
            yield Lost(lost)

    def _count_lost(self, found: Entries) -> int:
        """Return how many entries that this node has appended a journal lacks, at least.

        Args:
            found: what it has, which does not include the last entry that is known here. It may
                begin with a checkpoint that has followed that: then nothing is lost.
        """
        state = self.state
        if found.first > self.number:
            return 0
        if not found.texts and state is not None:
            has_expired = self._definition.kept_until(state) <= self.time
            return 0 if has_expired else self.accepted
        replaced = self.accepted == self.number > 0
        return max(self.accepted - found.last, int(replaced))
