"""An in-memory replica of a journal: the state folded from its entries, and appends to the journal.

The journal in Redis is the source of truth (event sourcing). Optimistic concurrency control detects
a stale replica: Redis refuses its append, the missing entries are read, and the command is decided
again. A command is also decided again after a wrong clock has been corrected. A replica read on one
connection to Redis is read again before an append on the next.

The logic is in `server/base/journals/core/machine.py`. `Replica` drives it: it sets the time,
executes requests and calls the waiting callers. A command on a current, idle replica needs no task:
its entry is sent with the next batch of writes.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from server.base.journals.core.entry import Append, Entries
from server.base.journals.core.machine import (
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
"""Approximate bytes of a replica without a state."""

Finish = Callable[[Any], None]
"""Called with a job's result, or with the exception that ended it."""


Decided_co = TypeVar("Decided_co", covariant=True)


class Submitted(Protocol[State, Decided_co]):
    """A command, and what follows it."""

    def decide(self, state: State | None, now: int, /) -> tuple[Decided_co, State] | None:
        """Decide the command: see `server.base.journals.core.machine.Decide`."""

    def finish(self, outcome: Any, /) -> None:
        """Handle its `Step` or exception."""


class Replica(Generic[State, Event]):
    """This node's replica of one journal.

    Commands and reads run one after the other, in the order of their arrival.

    Attributes:
        ended: called after each command and read, while the state is complete; or `None`.
    """

    __slots__ = (
        "_clock",
        "_definition",
        "_finish",
        "_job",
        "_journals",
        "_machine",
        "_submitted",
        "_waiting",
        "ended",
    )

    def __init__(
        self, journals: JournalStore, clock: Clock, definition: Definition[State, Event]
    ) -> None:
        self._journals = journals
        self._clock = clock
        self._definition = definition
        self._machine = ReplicaMachine(definition)
        self._job: Job[Any] | Step[State] | None = None
        """The current job; or the step, for a command that takes none."""
        self._submitted: Submitted[State, Event] | None = None
        """The command of that step."""
        self._finish: Finish = _ignore
        """Called at the end of the job."""
        self._waiting: deque[tuple[Job[Any], Finish]] | None = None
        self.ended: Callable[[], None] | None = None

    @property
    def state(self) -> State | None:
        """The state after the last known entry, or `None` if no entry is known."""
        return self._machine.state

    @property
    def number(self) -> int:
        """The number of the last known entry, or 0."""
        return self._machine.number

    @property
    def size(self) -> int:
        """The approximate size in bytes, without the shared part."""
        state = self._machine.state
        return EMPTY_SIZE if state is None else self._definition.size(state, self._oldest)

    @property
    def shared(self) -> Shared | None:
        """The part that other replicas may hold too."""
        state = self._machine.state
        return None if state is None else self._definition.shared(state)

    @property
    def _oldest(self) -> State | None:
        return self._machine.kept[0][1]

    @property
    def settled(self) -> State | None:
        """The state if the replica is idle; `None` while it reads or appends, or if it is empty."""
        return None if self._job is not None else self._machine.state

    @property
    def is_unchecked(self) -> bool:
        """Whether this node has appended to the journal, but not used it on the open connection."""
        return self._machine.accepted > 0 and not self._is_current()

    def _is_current(self) -> bool:
        """Return whether the last read or append used the connection that is now open."""
        generation = self._machine.generation
        return generation != 0 and generation == self._journals.generation(self._definition.key())

    def refresh_soon(self) -> asyncio.Future[Step[State]]:
        """Begin to read new entries and append due events; `state` is current after the future."""
        return self._start(self._machine.carry_out(None))

    def ends_with(self, number: int, generation: int) -> bool:
        """Return whether the state is current if entry `number` is the journal's last one.

        Args:
            number: the number of the last entry, as read on a connection.
            generation: the generation of that connection.
        """
        machine = self._machine
        is_last = self._job is None and 0 < number == machine.number
        return is_last and machine.generation == generation != 0

    async def refresh(self) -> State | None:
        """Read new entries, append due events, and return the state.

        Returns:
            `None` if there is no journal.
        """
        await self._run(self._machine.carry_out(None))
        return self._machine.state

    async def check(self) -> None:
        """Read new entries, unless the open connection was already used for that.

        Raises:
            UnreadableError: a newer release has appended an entry, or entries are missing.
        """

        def check() -> Job[None]:
            if self.is_unchecked:
                yield from self._machine.read()

        await self._run(check())

    async def since(self, number: int) -> tuple[State | None, list[str]] | None:
        """Return the entries from `number` on, with a state to fold them into.

        Returns:
            The last kept state before that entry, and the texts of all entries after that state;
            `None` if the entry is older than the kept states, or unknown here.
        """
        for seq, state in reversed(self._machine.kept):
            if seq < number <= self._machine.number:
                found = await self._journals.read_from(self._definition.key(), seq + 1)
                return state, found
        return None

    def receive(self, number: int, text: str) -> bool:
        """Fold entry `number`, published by another node.

        Returns:
            Whether the replica now includes that entry. If not, it must be refreshed.
        """
        machine = self._machine
        if self._job is not None or not self._is_current():
            return False
        if number == machine.number + 1:
            machine.fold(text)
        return machine.includes(number, text)

    def submit(self, command: Submitted[State, Event]) -> None:
        """Execute a command, and let it `finish`."""
        machine = self._machine
        if self._job is not None:
            self._begin(machine.carry_out(command.decide), command.finish)
            return
        machine.time = self._clock.now()
        try:
            step = machine.begin(command.decide)
        except Exception as error:
            command.finish(error)
            return
        if not isinstance(step, Step):
            self._begin(step, command.finish)
            return
        append = step.append
        assert append is not None, "it is to be sent"
        self._job, self._submitted = step, command
        self._journals.append(
            append, machine.time, machine.generation, machine.last, self._end_step
        )

    def _end_step(self, reply: int | Exception) -> None:
        """Finish a command that took no job, or recover in a job from the failed append."""
        step, command, self._submitted = self._job, self._submitted, None
        assert isinstance(step, Step), "it was sent"
        assert command is not None, "it was decided"
        if not isinstance(reply, int):
            self._finish = command.finish
            self._job = self._machine.carry_out(command.decide, failed=(step, reply))
            self._resume(None)
            return
        self._machine.accept(step, reply)
        try:
            self._end(command.finish, step)
        finally:
            # The caller is answered first.
            self._report_appended(step)

    async def decide(self, decide: Callable[[State | None, int], Event | None]) -> Step[State]:
        """Execute a command that returns only an event, and wait for the result.

        Raises:
            Refusal: the command is refused.
        """

        def decide_both(state: State | None, now: int) -> tuple[Event, State] | None:
            event = decide(state, now)
            return None if event is None else (event, self._definition.fold(state, event))

        return await self._run(self._machine.carry_out(decide_both))

    async def _run(self, job: Job[Result]) -> Result:
        """Run a job and return its result. The job continues if the caller is cancelled."""
        ended = self._start(job)
        try:
            return await ended
        finally:
            # An exception refers to this frame: with the future, they would form a reference cycle.
            del ended

    def _start(self, job: Job[Result]) -> asyncio.Future[Result]:
        """Run a job, and return a future of its result."""
        ended: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._begin(job, partial(_settle, ended))
        try:
            return ended
        finally:
            # An exception of the job's first step refers to this frame, too.
            del ended

    def _begin(self, job: Job[Any], finish: Finish) -> None:
        """Run a job after all waiting ones."""
        if self._job is None:
            self._job, self._finish = job, finish
            # The job's exception refers to this frame: see `_run`.
            del finish
            self._resume(None)
            return
        if self._waiting is None:
            self._waiting = deque()
        self._waiting.append((job, finish))

    def _resume(self, reply: Any) -> None:
        """Resume the job with the reply to its request, or with the request's exception.

        The job runs until its next request. When it ends, the next job starts.
        """
        job, machine = self._job, self._machine
        assert job is not None, "only a job makes a request"
        assert not isinstance(job, Step), "only a job makes a request"
        try:
            # An int is the reply to an accepted append, which must not change the time.
            if isinstance(reply, int):
                output = job.send(reply)
            else:
                machine.time = self._clock.now()
                output = job.throw(reply) if isinstance(reply, Exception) else job.send(reply)
            while not isinstance(output, Append):
                if isinstance(output, Step):
                    self._report_appended(output)
                elif isinstance(output, Lost):
                    self._journals.note_lost(self._definition.key(), output.entries)
                else:
                    self._begin_request(output)
                    return
                machine.time = self._clock.now()
                output = job.send(None)
        except StopIteration as ended:
            step = ended.value
            try:
                self._end(self._finish, step)
            finally:
                # The caller is answered first.
                if isinstance(step, Step) and step.append is not None:
                    self._report_appended(step)
        except Exception as error:
            # A variable would form a reference cycle with this frame, and keep the session alive.
            self._end(self._finish, error)
        else:
            self._journals.append(
                output, machine.time, machine.generation, machine.last, self._resume_in_turn
            )

    def _resume_in_turn(self, reply: int | Exception) -> None:
        """Resume the job with the reply to its append, together with the tasks of other replies."""
        self._journals.pacer.call(self._resume, reply)

    def _begin_request(self, request: Read | Wait) -> None:
        """Execute a request, in a task if necessary, and resume the job with the reply."""
        if not isinstance(request, Read) or not request.after:
            run_soon(self._request(request))
            return

        def done(found: Entries | None) -> None:
            if found is None:
                run_soon(self._request(request))
            else:
                self._journals.pacer.call(self._resume, found)

        if not self._journals.read_soon(self._definition.key(), *request, done):
            run_soon(self._request(request))

    async def _request(self, request: Read | Wait) -> None:
        """Execute a request in a task, and resume the job with the reply."""
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

    def _end(self, finish: Finish, outcome: Any) -> None:
        """Report the outcome of the job or command, and start the next job."""
        if self._waiting:
            self._job, self._finish = self._waiting.popleft()
            # Later, so that this caller is answered first, and waiting jobs do not recurse.
            asyncio.get_running_loop().call_soon(self._resume, None)
        else:
            # The callback may refer to a session, which must not be kept alive.
            self._job, self._waiting, self._finish = None, None, _ignore
        finish(outcome)
        if self.ended is not None:
            self.ended()

    def _report_appended(self, step: Step[State]) -> None:
        """Report an accepted append.

        An exception goes to the event loop's exception handler: the entry is stored, and the caller
        must still get its acknowledgement.
        """
        assert step.append is not None, "it has been accepted"
        try:
            self._definition.appended(step.before, step.after, step.append)
        except Exception as error:
            asyncio.get_running_loop().call_exception_handler(
                {"message": "What follows an entry failed.", "exception": error}
            )


def _settle(future: asyncio.Future[Result], outcome: Any) -> None:
    """Set a job's outcome for its caller, unless that was cancelled."""
    if future.done():
        return
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)


def _ignore(_: object) -> None:
    """Discard the outcome: no job is running."""
