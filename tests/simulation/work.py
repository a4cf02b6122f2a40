"""The law of loop time: no command causes much more work than it is charged for.

Work is counted rather than timed: function calls, encoded bytes, and tables of rules. The charge is
the sum that the session's player pays, before and during the command.

Only the steps of the command's own task are counted, each from its resumption to its next wait. A
move runs without a task, so the calls that start and answer it are counted. Each count therefore
belongs to one command. A node's tasks and connections are shared, and a pipeline carries the writes
of many commands, so work that a command leaves to others is not counted.

Metering all commands makes a race a fifth longer, so only some are metered. They are drawn
separately, which leaves the race itself unchanged.
"""

from __future__ import annotations

import gc
import random
import sys
from collections.abc import Callable, Coroutine, Generator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, coroutine
from typing import Any

from engine.ruleset import Ruleset
from server.base.core.costs import MOVE
from server.base.net.budgets import Payer
from server.base.wire import codec
from server.base.wire.messages import Command, MoveMessage
from server.base.wire.session import Session
from tests.simulation.world import World

WEIGHED = 0.25
"""Share of commands metered; this takes 5 % of a race's time."""

BYTE = 0.05
"""The cost of encoding a byte, in calls."""

TABLES = 2_000.0
"""The cost of building the tables of a ruleset, in calls."""

FREE = 1_500.0
"""Calls that every command may make, to look up a player, a room and an attempt."""

EARNED = 500.0
"""Further calls per unit of a command's price; a unit stands for 0.15 ms."""

TESTS = str(Path(__file__).parents[1])

_TABLES = Ruleset._prepare_tables.__code__


@dataclass(slots=True)
class Bill:
    """The charge of a command and the work that it caused.

    Attributes:
        price: in the units of `server.base.core.costs`.
        work: in calls of functions.
    """

    of: str
    price: float
    work: float = 0.0

    @property
    def is_fair(self) -> bool:
        """Whether the work was paid for."""
        return self.work <= FREE + EARNED * self.price


class Scales:
    """Meters some commands of a race and complains of underpaid ones."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._rng = random.Random(f"work {world.seed}")
        self._bill: Bill | None = None

    def places(self) -> list[tuple[Any, str, Any]]:
        """Return the replacements that meter commands during a race."""
        answer, play, answer_move = Session._answer, Session._play, Session._answer_move
        pay, packed = Payer.pay, codec._packed

        async def answering(session: Session, command: Command) -> None:
            work = answer(session, command)
            if self._draw():
                work = self._weigh(type(command).__name__, command.cost, work)
            await work

        def playing(session: Session, move: MoveMessage) -> None:
            self._weigh_call("a move", play, session, move)

        def answering_move(session: Session, found: Any) -> str:
            outcome: str = self._weigh_call("the answer to a move", answer_move, session, found)
            return outcome

        def paying(payer: Payer, cost: float, now: float) -> bool:
            paid = pay(payer, cost, now)
            if paid and self._bill is not None:
                self._bill.price += cost
            return paid

        def packing(value: object) -> bytes:
            frame = packed(value)
            if self._bill is not None:
                self._bill.work += BYTE * len(frame)
            return frame

        return [
            (Session, "_answer", answering),
            (Session, "_play", playing),
            (Session, "_answer_move", answering_move),
            (Payer, "pay", paying),
            (codec, "_packed", packing),
        ]

    def _draw(self) -> bool:
        """Return whether to weigh the next command."""
        return self._rng.random() < WEIGHED

    def _weigh_call(self, of: str, call: Callable[..., Any], *given: Any) -> Any:
        """Make a call that is part of a move, and return its result.

        Calls inside it, such as the next move, add their price to it.
        """
        if self._bill is not None or not self._draw():
            return call(*given)
        bill = Bill(of, MOVE)
        found = self._counted(bill, call, *given)
        self._judge(bill)
        return found

    @coroutine
    def _weigh(
        self, of: str, price: float, work: Coroutine[Any, Any, None]
    ) -> Generator[Any, Any, None]:
        """Run a command step by step."""
        bill = Bill(of, price)
        go_on: Callable[[Any], Any] = work.send
        given: Any = None
        while True:
            try:
                awaited = self._counted(bill, go_on, given)
            except StopIteration:
                break
            try:
                go_on, given = work.send, (yield awaited)
            except BaseException as error:
                go_on, given = work.throw, error
        self._judge(bill)

    def _counted(self, bill: Bill, call: Callable[..., Any], *given: Any) -> Any:
        """Run a call and add its work to a bill, without garbage collection, which has no payer."""
        self._bill = bill
        gc.disable()
        sys.setprofile(self._note)
        try:
            return call(*given)
        finally:
            sys.setprofile(None)
            gc.enable()
            self._bill = None

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        """Count a call, except for the simulation's own."""
        code = frame.f_code
        if event.endswith("call") and not code.co_filename.startswith(TESTS):
            assert self._bill is not None, "calls are counted only for a bill"
            self._bill.work += TABLES if event == "call" and code is _TABLES else 1.0

    def _judge(self, bill: Bill) -> None:
        self._world.counts["commands weighed"] += 1
        if not bill.is_fair:
            text = f"{bill.work:.0f} calls, for a price of {bill.price:.1f}"
            self._world.complain("unpaid", bill.of, text)
