"""ReplicaMachine: every order of commands, replies and faults, without a store or an event loop."""

from __future__ import annotations

import gc
import weakref
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from server.base.core.refusal import BaseRefusals, Refusal, UnavailableError
from server.base.journals.core.entry import Append, ConflictError, Entries, MistimedError
from server.base.journals.core.machine import MAX_MISTIMED, Lost, Read, ReplicaMachine, Step, Wait
from tests.base.journals.test_replica import LATE, Words, _WordsDefinition


class World:
    """A replica, a store shared with another node, and the possible next steps.

    Each fault happens at most once.
    """

    def __init__(self, faults: str) -> None:
        self.stored: list[str] = ["first"]
        self.lost: list[str] = []
        self.generation = 1
        self.machine = ReplicaMachine[Words, str](_WordsDefinition())
        self.commands = ["a", "b"]
        self.faults = faults.split()
        self.jobs: list[tuple[str, Any]] = []
        self.request: Append | Read | Wait | None = None
        self.outcomes: dict[str, Step[Words] | Exception] = {}
        self.told: list[Step[Words]] = []
        self.is_unavailable = False

    def choices(self) -> list[str]:
        """Return the possible next steps."""
        found = []
        if self.commands:
            found.append("submit")
        if self.request is not None:
            found.append("reply")
        appends = isinstance(self.request, Append)
        needs = {
            **dict.fromkeys(("unwritten", "unanswered", "mistimed"), appends),
            "unread": isinstance(self.request, Read),
            "tail_lost": len(self.stored) > 1,
            "due": self.machine.time == 0,
        }
        return [*found, *(fault for fault in self.faults if needs.get(fault, True))]

    def happen(self, choice: str) -> None:
        """Execute a step."""
        if choice in self.faults:
            self.faults.remove(choice)
            self.is_unavailable |= choice in {"unwritten", "unanswered", "unread"}
        match choice:
            case "submit":
                self.submit(self.commands.pop(0))
            case "reply":
                self.resume(self.reply())
            case "other":
                self.stored.append("other")
            case "due":
                self.machine.time = LATE
            case "reconnected":
                self.generation += 1
            case "tail_lost":
                self.lost.append(self.stored.pop())
                self.generation += 1
            case "mistimed":
                self.resume(MistimedError())
            case "unanswered":
                self.reply()
                self.generation += 1
                self.resume(UnavailableError())
            case "unwritten" | "unread":
                self.generation += 1
                self.resume(UnavailableError())

    def decide(self, word: str, state: Words | None) -> tuple[str, Words] | None:
        """Decide to add a word, unless the state has it."""
        if state is None:
            raise Refusal(BaseRefusals.unknown_attempt)
        return None if word in state else (word, (*state, word))

    def submit(self, word: str) -> None:
        """Start a command without a job if that is possible, or queue its job."""

        def decide(state: Words | None, _: int) -> tuple[str, Words] | None:
            return self.decide(word, state)

        found = self.machine.carry_out(decide) if self.jobs else self.machine.begin(decide)
        if isinstance(found, Step):
            self.jobs.append((word, (found, decide)))
            self.request = found.append
        else:
            self.begin(word, found)

    def begin(self, name: str, job: Any) -> None:
        """Start a job, or queue it."""
        self.jobs.append((name, job))
        if len(self.jobs) == 1:
            self.resume(None)

    def resume(self, reply: Any) -> None:
        """Resume the first job and run it until its next request, or start the next one."""
        self.request = None
        while self.jobs and self.request is None:
            name, job = self.jobs[0]
            if isinstance(job, tuple):
                step, decide = job
                if not isinstance(reply, Exception):
                    self.machine.accept(step, reply)
                    self.end(name, step)
                    reply = None
                    continue
                job = self.machine.carry_out(decide, failed=(step, reply))
                self.jobs[0], reply = (name, job), None
            try:
                output = job.throw(reply) if isinstance(reply, Exception) else job.send(reply)
            except StopIteration as ended:
                self.end(name, ended.value)
            except (Refusal, UnavailableError) as error:
                self.end(name, error)
            else:
                if isinstance(output, Step):
                    self.told.append(output)
                elif not isinstance(output, Lost):
                    self.request = output
            reply = None

    def end(self, name: str, outcome: Any) -> None:
        """Record the outcome of a job."""
        del self.jobs[0]
        assert name not in self.outcomes, "a command has one outcome"
        self.outcomes[name] = outcome
        if isinstance(outcome, Step) and outcome.append is not None:
            self.told.append(outcome)

    def reply(self) -> Any:
        """Process the request as the store does."""
        match self.request:
            case Append() as append:
                generation, previous = self.machine.generation, self.machine.last
                is_next = append.number == len(self.stored) + 1
                if generation == 0:
                    last = self.stored[-1] if self.stored else ""
                    is_next = is_next and last == previous
                elif generation != self.generation:
                    is_next = False
                if not is_next:
                    return ConflictError()
                self.stored.append(append.payload)
                return self.generation
            case Read(after, last, _):
                if after and self.stored[after - 1 : after] != [last]:
                    return None
                return Entries(self.stored[after:], self.generation, after + 1)
        return None

    def check(self) -> None:
        """Check the end: every command has been answered, and the journal is read once more."""
        self.begin("refresh", self.machine.carry_out(None))
        while self.request is not None:
            self.resume(self.reply())
        assert self.outcomes.keys() == {"a", "b", "refresh"}
        assert self.machine.state == tuple(self.stored)
        assert self.machine.number == len(self.stored)
        assert self.machine.generation == self.generation
        counts = Counter(self.stored)
        assert max(counts.values()) == 1, "each is appended once"
        for name in "ab":
            outcome = self.outcomes[name]
            if isinstance(outcome, UnavailableError):
                assert self.is_unavailable
                continue
            assert isinstance(outcome, Step), "there is a journal"
            assert outcome.append is not None
            assert outcome.append.payload == name
            assert name in [*self.stored, *self.lost], "what is acknowledged is kept"
        told = Counter(step.append.payload for step in self.told if step.append is not None)
        for step in self.told:
            assert step.append is not None
            assert step.after == (*(step.before or ()), step.append.payload)
        # A stored word of this node is reported exactly once; a lost one may be appended again.
        for word in {"a", "b", "late"} & set(self.stored):
            assert told[word] == 1 + (word in self.lost and told[word] > 1)


def paths(faults: str) -> Iterator[World]:
    """Yield a world for each possible order, at its end."""
    unfinished: list[list[str]] = [[]]
    while unfinished:
        path = unfinished.pop()
        world = World(faults)
        for choice in path:
            world.happen(choice)
        unfinished += [[*path, choice] for choice in world.choices()]
        if world.request is None and not world.commands:
            yield world


@pytest.mark.parametrize(
    "faults",
    [
        "",
        "other due mistimed unanswered",
        "other due reconnected unread",
        "tail_lost other unanswered",
        "tail_lost due unwritten",
        "reconnected mistimed unwritten unread",
    ],
)
def test_in_every_order_commands_are_executed_once_and_answered_once(faults: str) -> None:
    count = 0
    for count, world in enumerate(paths(faults), 1):  # noqa: B007 - it is used at the end
        world.check()
    assert count > (1 if faults else 0)


def mistime(world: World, times: int) -> None:
    """Submit a command whose time is refused `times` times, and then accepted."""
    world.begin("refresh", world.machine.carry_out(None))
    world.happen("reply")
    world.outcomes.pop("refresh")
    world.happen("submit")
    for _ in range(times):
        world.resume(MistimedError())
        if world.request is Wait.CLOCK_SAMPLE:
            world.happen("reply")
    while world.request is not None:
        world.happen("reply")


@pytest.mark.parametrize("more", [0, 1])
def test_a_command_fails_after_too_many_consecutive_refusals_of_its_time(more: int) -> None:
    world = World("")
    mistime(world, MAX_MISTIMED)
    assert isinstance(world.outcomes["a"], Step)
    mistime(world, MAX_MISTIMED + more)
    assert isinstance(world.outcomes["b"], UnavailableError if more else Step)
    assert world.stored == ["first", "a", *([] if more else ["b"])]


class _Caller:
    """The owner of a command."""

    def decide(self, state: Words | None, _: int) -> tuple[str, Words]:
        return "a", (*(state or ()), "a")


@pytest.mark.parametrize("is_begun", [True, False])
def test_the_caller_of_a_failed_command_is_freed_without_a_garbage_collection(
    is_begun: bool,
) -> None:
    world, caller = World(""), _Caller()
    world.begin("refresh", world.machine.carry_out(None))
    while world.request is not None:
        world.resume(world.reply())
    freed = weakref.ref(caller)
    if is_begun:
        step = world.machine.begin(caller.decide)
        assert isinstance(step, Step)
        job = world.machine.carry_out(caller.decide, failed=(step, UnavailableError()))
        del step
    else:
        job = world.machine.carry_out(caller.decide)
        assert isinstance(next(job), Append)
    gc.disable()
    try:
        with suppress(UnavailableError):
            job.throw(UnavailableError()) if not is_begun else next(job)
        del caller, job
        assert freed() is None
    finally:
        gc.enable()
