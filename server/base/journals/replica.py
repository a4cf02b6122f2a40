"""A replica of a journal in memory: the state folded from its entries, and appends to the journal.

The journal in Redis is the source of truth (event sourcing). A replica may lag behind it, which
optimistic concurrency control detects: Redis refuses an append from a stale replica, the missing
entries are read, and the command is decided again. It is also decided again when the node's clock
was wrong, after the clock has been corrected. What was read on one connection to Redis is not
appended to on the next: it is read again.

How all this goes is in `server/base/journals/core/machine.py`. A `Replica` drives it: it gives it
the time, carries its requests out, and calls those who wait. A command on a replica that is current
and idle needs no task: its entry is sent with the next batch of writes.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Generic

from server.base.journals.core.entry import Append, Entries
from server.base.journals.core.machine import (
    Decide,
    Definition,
    Event,
    Job,
    Lost,
    Read,
    ReplicaMachine,
    Result,
    Shared,
    State,
    Step,
    Wait,
)
from server.base.journals.store import JournalStore
from server.base.work.clock import Clock
from server.base.work.tasks import run_soon

EMPTY_SIZE = 1_000
"""About how many bytes a replica takes that has no state."""

Finish = Callable[[Any], None]
"""Called with what a job returned, or with the exception that it ended with."""


class Replica(Generic[State, Event]):
    """This node's replica of one journal.

    Commands and reads are carried out one after the other, in the order in which they came.
    """

    __slots__ = ("_clock", "_definition", "_finish", "_job", "_journals", "_machine", "_waiting")

    def __init__(
        self, journals: JournalStore, clock: Clock, definition: Definition[State, Event]
    ) -> None:
        self._journals = journals
        self._clock = clock
        self._definition = definition
        self._machine = ReplicaMachine(definition)
        self._job: Job[Any] | None = None
        self._finish: Finish = _ignore
        self._waiting: deque[tuple[Job[Any], Finish]] | None = None

    @property
    def state(self) -> State | None:
        """The state as of the last entry known here, or `None` if no entry is."""
        return self._machine.state

    @property
    def number(self) -> int:
        """The number of the last entry known here, or 0 if none is."""
        return self._machine.number

    @property
    def size(self) -> int:
        """About how many bytes it takes, without what it shares."""
        state = self._machine.state
        return EMPTY_SIZE if state is None else self._definition.size(state, self._oldest)

    @property
    def shared(self) -> Shared | None:
        """The part of it that other replicas may hold too."""
        state = self._machine.state
        return None if state is None else self._definition.shared(state)

    @property
    def _oldest(self) -> State | None:
        return self._machine.kept[0][1]

    @property
    def settled(self) -> State | None:
        """The state if the replica is idle; `None` while it reads or appends, or is empty."""
        return None if self._job is not None else self._machine.state

    @property
    def is_unchecked(self) -> bool:
        """Whether this node has appended to the journal, on no connection that is open now."""
        return self._machine.accepted > 0 and not self._is_current()

    def _is_current(self) -> bool:
        """Return whether the replica was read or appended to on the connection that is open now."""
        generation = self._machine.generation
        return generation != 0 and generation == self._journals.generation(self._definition.key())

    async def refresh(self) -> State | None:
        """Read new entries, append events that are due by now, and return the state after them.

        Returns:
            `None` if there is no journal.
        """
        await self._run(self._machine.carry_out(None))
        return self._machine.state

    async def check(self) -> None:
        """Read new entries, unless that was done on the connection that is open now.

        Raises:
            UnreadableError: a newer release has appended an entry, or entries are missing.
        """

        def check() -> Job[None]:
            if self.is_unchecked:
                yield from self._machine.read()

        await self._run(check())

    async def since(self, number: int) -> tuple[State | None, list[str]] | None:
        """Return the entries from `number` on.

        Returns:
            The last state kept before that entry, and the texts of all entries after it; `None` if
            the entry is older than the kept states, or unknown here.
        """
        for seq, state in reversed(self._machine.kept):
            if seq < number <= self._machine.number:
                found = await self._journals.read_from(self._definition.key(), seq + 1)
                return state, found
        return None

    def receive(self, number: int, text: str) -> bool:
        """Apply entry `number`, which another node has appended and published.

        Returns:
            Whether the replica includes that entry now; if not, it must be refreshed.
        """
        machine = self._machine
        if self._job is not None or not self._is_current():
            return False
        if number == machine.number + 1:
            machine.fold(text)
        return machine.includes(number, text)

    def submit(self, decide: Decide[State, Event], finish: Finish) -> None:
        """Carry out a command; `finish` is called with the `Step` or the exception."""
        self._begin(self._machine.carry_out(decide), finish)

    async def decide(self, decide: Callable[[State | None, int], Event | None]) -> Step[State]:
        """Carry out a command that returns an event alone, and wait for what comes of it.

        Raises:
            Refusal: the command is refused.
        """

        def decide_both(state: State | None, now: int) -> tuple[Event, State] | None:
            event = decide(state, now)
            return None if event is None else (event, self._definition.fold(state, event))

        return await self._run(self._machine.carry_out(decide_both))

    async def _run(self, job: Job[Result]) -> Result:
        """Run a job, and return what it returns. It goes on if the caller is cancelled."""
        ended: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._begin(job, partial(_settle, ended))
        try:
            return await ended
        finally:
            # An exception refers to this frame: the future must not be in a circle with it.
            del ended

    def _begin(self, job: Job[Any], finish: Finish) -> None:
        """Run a job, after those that have been waiting."""
        if self._job is None:
            self._job, self._finish = job, finish
            self._resume(None)
            return
        if self._waiting is None:
            self._waiting = deque()
        self._waiting.append((job, finish))

    def _resume(self, reply: Any) -> None:
        """Resume the job with the reply to its request, or the exception that this ended with.

        It runs until its next request, which is carried out; when it ends, the next one begins.
        """
        assert self._job is not None, "only a job makes a request"
        job, machine = self._job, self._machine
        try:
            if isinstance(reply, int):
                output = job.send(reply)
            else:
                machine.time = self._clock.now()
                output = job.throw(reply) if isinstance(reply, Exception) else job.send(reply)
            while not isinstance(output, Append):
                if isinstance(output, Step):
                    self._tell_appended(output)
                elif isinstance(output, Lost):
                    self._journals.note_lost(self._definition.key(), output.entries)
                else:
                    run_soon(self._request(output))
                    return
                machine.time = self._clock.now()
                output = job.send(None)
        except StopIteration as ended:
            step = ended.value
            try:
                self._end(step)
            finally:
                # Whoever has asked is answered first.
                if isinstance(step, Step) and step.append is not None:
                    self._tell_appended(step)
        except Exception as error:
            # Not kept in a variable: it would be in a circle with this frame, and the session too.
            self._end(error)
        else:
            self._journals.append(
                output, machine.time, machine.generation, machine.last, self._resume
            )

    async def _request(self, request: Read | Wait) -> None:
        """Carry out a request that takes a task, and resume the job with the reply."""
        try:
            reply = await self._reply(request)
        except Exception as error:
            self._resume(error)
        else:
            self._resume(reply)

    async def _reply(self, request: Read | Wait) -> Entries | None:
        if request is Wait.PAUSE:
            await asyncio.sleep(0)
        elif request is Wait.CLOCK_SAMPLE:
            await self._clock.sample()
        elif isinstance(request, Read):
            key = self._definition.key()
            if request.after:
                return await self._journals.read_on(key, *request)
            return await self._journals.read(key)
        return None

    def _end(self, outcome: Any) -> None:
        """Tell the outcome of the job, and let the next one begin."""
        finish = self._finish
        if self._waiting:
            self._job, self._finish = self._waiting.popleft()
            asyncio.get_running_loop().call_soon(self._resume, None)
        else:
            # Whoever has asked may be gone soon: a session must not be kept.
            self._job, self._waiting, self._finish = None, None, _ignore
        finish(outcome)

    def _tell_appended(self, step: Step[State]) -> None:
        """Tell of an append that has been accepted.

        An exception goes to the event loop's exception handler: the entry is stored, and whoever
        asked for it gets the answer that it is.
        """
        assert step.append is not None, "it has been accepted"
        try:
            self._definition.appended(step.before, step.after, step.append)
        except Exception as error:
            asyncio.get_running_loop().call_exception_handler(
                {"message": "What follows an entry failed.", "exception": error}
            )


def _settle(future: asyncio.Future[Result], outcome: Any) -> None:
    """Set the outcome of a job for its caller, who may have been cancelled."""
    if future.done():
        return
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)


def _ignore(_: object) -> None:
    """Wait for no outcome: there is no job."""
