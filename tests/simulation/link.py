"""A node's way to the store, on which commands and answers are lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from server.core.refusal import UnavailableError
from tests.simulation import fates
from tests.simulation.world import World

T = TypeVar("T")

LATENCY = 0.0015
"""Seconds that most commands take at most."""

GIVEN_UP_AFTER = 5.0
"""Seconds after which an answer is no longer waited for."""


class Link:
    """One node's commands to the store.

    A node that is killed sends nothing more and hears nothing more: its tasks wait for ever. What
    it had sent may still arrive.

    Attributes:
        on_kill: called to kill the node, with whether it is to end in good order.
        on_jump: called to let its clock jump.
    """

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name
        self.alive = True
        self.on_kill: Callable[[bool], None] = lambda _: None
        self.on_jump: Callable[[], None] = lambda: None
        self._rng = world.rng
        self._loop = world.loop

    def is_alive(self) -> bool:
        """Return whether the node has not been killed."""
        return self.alive

    async def call(self, what: str, apply: Callable[[], T], more: object = "") -> T:
        """Apply a command to the store and return its answer.

        Raises:
            UnavailableError: it was not answered; it may have been applied, or will be.
        """
        future: asyncio.Future[T] = self._loop.create_future()
        self.world.keep.append(future)
        if self.alive:
            delay = LATENCY * self._rng.random()
            self._loop.call_later(delay, self._arrive, what, apply, more, future)
            self.world.in_flight[future] = self.is_alive
        return await future

    def _arrive(
        self, what: str, apply: Callable[[], Any], more: object, future: asyncio.Future[Any]
    ) -> None:
        """Let a command arrive at the store, or not."""
        world = self.world
        if future.done():
            # The power was cut while it was on its way.
            return
        if not self.alive:
            # It was on its way when the node was killed.
            if self._rng.random() < 0.5:
                self._apply(f"{what} of the dead", apply, more)
            return
        if self._loop.time() < world.away_until:
            self._fail(future, "the store is away")
            return
        fate = world.season.of_store()
        if fate is None:
            self._answer(what, apply, more, future)
        else:
            world.fault(fate, self.name, what)
            self._suffer(fate, what, apply, more, future)

    def _suffer(
        self,
        fate: str,
        what: str,
        apply: Callable[[], Any],
        more: object,
        future: asyncio.Future[Any],
    ) -> None:
        """Let a fault happen to a command."""
        rng, loop = self._rng, self._loop
        if fate == fates.LOST:
            self._fail(future, "the command was lost")
        elif fate == fates.UNANSWERED:
            self._apply(what, apply, more)
            loop.call_later(rng.choice((0.0, 0.3, 2.0)), self._fail, future, "no answer came")
        elif fate == fates.LATE:
            late = rng.choice((0.002, 0.01, 0.5, 1.5, 4.0)) * rng.random()
            cuts = self.world.cuts
            loop.call_later(late, self._apply_late, f"{what} late", apply, more, cuts)
            self._fail(future, "it was given up")
        elif fate == fates.SLOW:
            answer = self._apply(what, apply, more)
            loop.call_later(rng.choice((0.01, 0.1, 1.5)), self._settle, future, answer)
        elif fate == fates.AWAY:
            self.world.away_until = loop.time() + rng.expovariate(1.5)
            self._fail(future, "the store went away")
        elif fate == fates.CLOCK_JUMP:
            self.on_jump()
            self._answer(what, apply, more, future)
        elif fate == fates.RESTARTED:
            self._answer(what, apply, more, future)
            self.on_kill(True)
        else:
            if fate == fates.KILLED_AFTER:
                self._apply(what, apply, more)
            self.on_kill(False)

    def _answer(
        self, what: str, apply: Callable[[], Any], more: object, future: asyncio.Future[Any]
    ) -> None:
        self._settle(future, self._apply(what, apply, more))

    def _apply_late(self, what: str, apply: Callable[[], Any], more: object, cuts: int) -> None:
        """Apply a command that nobody waits for any more, unless the power was cut meanwhile."""
        if cuts == self.world.cuts:
            self._apply(what, apply, more)

    def _apply(self, what: str, apply: Callable[[], Any], more: object) -> Any:
        """Apply a command; return its answer, or the exception that it was answered with."""
        try:
            answer = apply()
        except Exception as error:
            answer = error
        if isinstance(answer, Exception):
            more = (more, type(answer).__name__)
        self.world.note(self.name, what, more)
        return answer

    def _fail(self, future: asyncio.Future[Any], reason: str) -> None:
        self.world.note(self.name, "unavailable", reason)
        self._settle(future, UnavailableError(reason))

    def _settle(self, future: asyncio.Future[Any], answer: Any) -> None:
        """Answer whoever waits for a command."""
        self.world.in_flight.pop(future, None)
        if future.done():
            return
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)
