"""The logic of a replica that follows a journal and appends to it, as a state machine without I/O.

A replica's operations are generators (jobs). A job yields requests and is resumed with the reply or
the request's exception. It also yields notices, which have no reply. The driver
(`server/base/journals/replica.py`) executes the requests and sets the time. It runs one job at a
time, so that at most one append is in flight.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from enum import Enum
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, cast

from msgspec import Struct

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
"""Entries between two kept states. Recent entries are folded again from a kept state."""

PAUSE_EVERY = 100
"""Entries folded before the event loop gets a turn: about half a millisecond."""

MAX_MISTIMED = 5
"""Consecutive appends refused because of the clock before a command fails."""


class Shared(Protocol):
    """An object held by several states, and freed with the last of them."""

    @property
    def size(self) -> int:
        """Its approximate size in bytes."""


class Definition(Protocol[State, Event]):
    """Reading, folding and writing the entries of one type of journal."""

    def key(self) -> str:
        """Return the stream's key."""

    def decode(self, text: str) -> Event:
        """Decode an entry's text (JSON)."""

    def fold(self, state: State | None, event: Event) -> State:
        """Return the state after an event."""

    def due(self, state: State, now: int) -> Event | None:
        """Return the event due at a time (Unix milliseconds) without a command, or `None`."""

    def checkpoint(self, state: State) -> Event | None:
        """Return a checkpoint event that replaces all entries, or `None` if none is due."""

    def kept_until(self, state: State) -> int:
        """Return the time (Unix milliseconds) until which the journal is guaranteed to be kept."""

    def size(self, state: State, oldest: State | None) -> int:
        """Return the approximate size in bytes of a replica with a state, in constant time.

        `oldest` is the oldest other state that it keeps, if any.
        """

    def shared(self, state: State) -> Shared | None:
        """Return a large object that other journals' states may hold too, or `None`.

        It is the same object for all states of a journal.
        """

    def append(self, before: State | None, after: State, event: Event, number: int) -> Append:
        """Return the append of an event as entry `number`, with everything written with it."""

    def appended(self, before: State | None, after: State, append: Append) -> None:
        """Handle an accepted append of this node."""


class Step(Struct, Generic[State], frozen=True, gc=False):
    """The states before and after an accepted append of this node.

    If there was nothing to append, both are the same object.
    """

    before: State | None
    after: State
    append: Append | None


Decide = Callable[[State | None, int], tuple[Event, State] | None]
"""A command: a function of the state and the time in Unix milliseconds.

It returns the command's event and the state after it, or `None` if there is nothing to do, and
raises `Refusal` to refuse the command. It is called again if the state was stale.
"""


class Read(NamedTuple):
    """A request to read the entries after a known one; the reply is `Entries`.

    The reply is `None` if the journal no longer has the known entry: see `JournalStore.read_on`.

    Attributes:
        after: the number of the last known entry; 0 to read all.
        last: the text of that entry.
        begin: the number of the journal's first entry, as far as known.
    """

    after: int = 0
    last: str = ""
    begin: int = 1


class Wait(Enum):
    """A request whose reply has no value."""

    CLOCK_SAMPLE = "the clock has been compared with the store's"
    PAUSE = "others have been served"


class Lost(NamedTuple):
    """A notice that the journal lacks at least `entries` acknowledged entries of this node."""

    entries: int


Output = Append | Read | Wait | Step[Any] | Lost
Result = TypeVar("Result")
Job = Generator[Output, Any, Result]
"""A replica's operation and its result.

A yielded `Append` is a request. Its reply is the generation of the connection that was used. The
machine's `time`, `generation` and `last` state when the entry was decided, and on which state. A
yielded or returned `Step` is a notice of an accepted append; `Lost` is a notice too.
"""


class ReplicaMachine(Generic[State, Event]):
    """The state of one journal as known here, and the jobs that advance it.

    Attributes:
        time: the time in Unix milliseconds. The driver sets it before it resumes a job, except with
            the reply to an accepted append: the job then ends or yields a notice first.
        state: the state after the last known entry, or `None` if no entry is known.
        number: the number of the last known entry, or 0.
        last: the text of that entry, compared where the generation is not valid.
        generation: the generation of the last connection on which that entry was the journal's end;
            0 for none.
        accepted: the number of the last entry appended by this node, or 0.
        kept: two earlier states, each with the number of its last entry, oldest first.
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

    def begin(self, decide: Decide[State, Event]) -> Step[State] | Job[Step[State]]:
        """Decide a command on the known state, without a job if possible.

        Returns:
            The step to append; the driver passes its outcome to `accept`, or to `carry_out` if it
            failed. If something must precede the append, the job that carries the command out.
        """
        state, time, definition = self.state, self.time, self._definition
        if (
            state is None
            or definition.due(state, time) is not None
            or definition.checkpoint(state) is not None
        ):
            return self.carry_out(decide)
        try:
            found = decide(state, time)
        except Refusal:
            found = None
        if found is None:
            return self.carry_out(decide, is_doubtful=True)
        event, after = found
        return Step(state, after, definition.append(state, after, event, self.number + 1))

    def carry_out(
        self,
        decide: Decide[State, Event] | None,
        *,
        is_doubtful: bool = False,
        failed: tuple[Step[State], Exception] | None = None,
    ) -> Job[Step[State]]:
        """Append all due events, then the event of a command, decided on the state and the time.

        Args:
            decide: the command; `None` to read the journal and append only due events.
            is_doubtful: whether the command was refused, perhaps because of a stale state.
            failed: the command's step if `begin` has decided it, and the error of its append.

        Raises:
            Refusal: the command is refused.
            UnavailableError: it is unknown whether the event was appended.
        """
        # Nothing is read first: Redis refuses an append on a stale state. A refusal, or a command
        # with nothing to do, is final only on a state that has just been read.
        is_fresh = False
        if failed is not None:
            recovery = self._recover(*failed)
            # An error refers to this frame: with the argument, they would form a reference cycle.
            failed = None
            is_fresh = yield from recovery
        elif decide is None or is_doubtful:
            yield from self.read()
            is_fresh = True
        while True:
            before = self.state
            # Reading alone appends no checkpoint.
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
            step = Step(before, after, append)
            try:
                generation = yield append
            except Exception as error:
                is_fresh = (yield from self._recover(step, error)) or is_fresh
            else:
                self.accept(step, generation)
                # After a due event, the command is decided on the new state.
                if is_last:
                    return step
                yield step

    def _recover(self, step: Step[State], error: Exception) -> Job[bool]:
        """Prepare another decision after a failed append; return whether the journal was read.

        Raises:
            UnavailableError: it is unknown whether the event was appended.
        """
        if isinstance(error, ConflictError):
            yield from self.read()
            return True
        if isinstance(error, MistimedError):
            self._mistimed += 1
            if self._mistimed > MAX_MISTIMED:
                raise UnavailableError(str(error)) from error
            yield Wait.CLOCK_SAMPLE
            return False
        if isinstance(error, UnavailableError):
            # The fate of the append is unknown: the journal must be read before the next one.
            self.generation = 0
            self._unconfirmed = step
        try:
            raise error
        finally:
            # The error refers to this frame.
            del error

    def _due(self, state: State | None, *, checkpoints: bool) -> tuple[Event, State] | None:
        """Return a due event, or else a due checkpoint, and the state after it."""
        if state is None:
            return None
        event = self._definition.due(state, self.time)
        if event is None and checkpoints:
            event = self._definition.checkpoint(state)
        return None if event is None else (event, self._definition.fold(state, event))

    def _decided(
        self, decide: Decide[State, Event], *, is_fresh: bool
    ) -> tuple[Event, State] | None:
        """Return a command's event and the state after it; `None` if a refusal may be outdated."""
        try:
            return decide(self.state, self.time)
        except Refusal:
            if is_fresh:
                raise
            return None

    def read(self) -> Job[None]:
        """Read and fold new entries, or all entries if the journal lacks the last known one.

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
                # The journal may start with a checkpoint.
                self.number = found.first - 1
        except GapError:
            # Counted as one lost entry if this node has appended to the journal.
            yield from self._forget(int(self.accepted > 0))
            raise
        # An append whose fate was unknown is reported if the journal contains it.
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
        """Fold the next entry."""
        self.state = self._definition.fold(self.state, self._definition.decode(text))
        self._follow(self.number + 1, text)

    def includes(self, number: int, text: str) -> bool:
        """Return whether an entry is known here.

        Only the last entry's text is kept: an earlier entry is compared by its number alone.
        """
        return number < self.number or (number, text) == (self.number, self.last)

    def accept(self, step: Step[State], generation: int) -> None:
        """Adopt the state after an append that was accepted on a connection of this generation."""
        append = step.append
        assert append is not None, "it was sent"
        self.state = step.after
        self.generation = generation
        self._follow(append.number, append.payload)
        self.accepted = append.number
        self._mistimed = 0
        # An unconfirmed append would have had this number, so it was not written.
        self._unconfirmed = None

    def _follow(self, number: int, text: str) -> None:
        """Record the number and text of the state's last entry."""
        self.number, self.last = number, text
        if is_checkpoint(text):
            self._begin = number
        if not number % KEEP_EVERY:
            # A client further behind gets a snapshot instead.
            self.kept = (*self.kept[-1:], (number, self.state))

    def _forget(self, lost: int) -> Job[None]:
        """Forget all entries, and report the minimum number of this node's lost entries."""
        self.state, self.number, self.last, self.generation = None, 0, "", 0
        self.accepted, self.kept, self._begin = 0, ((0, None),), 1
        if lost:
            yield Lost(lost)

    def _count_lost(self, found: Entries) -> int:
        """Return the minimum number of this node's appended entries that a journal lacks.

        Args:
            found: the journal's entries, without the last known one. If they start with a later
                checkpoint, nothing is lost.
        """
        state = self.state
        # A later checkpoint replaces all entries known here.
        if found.first > self.number:
            return 0
        if not found.texts and state is not None:
            # An expired journal is gone as intended, not lost.
            has_expired = self._definition.kept_until(state) <= self.time
            return 0 if has_expired else self.accepted
        # The journal lacks the last known entry. If this node appended it, at least that one is
        # lost.
        replaced = self.accepted == self.number > 0
        return max(self.accepted - found.last, int(replaced))
