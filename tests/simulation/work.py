"""The law of loop time: no command makes a node do much more than what is charged for it.

Work is counted, since times say little: calls of functions, bytes that are encoded, and tables of
rules that are made. Charged is what the session's player pays, before the command and in it.

Counted are the steps of the task that carries a command out, each from where it is continued until
it waits again, and of a move, which takes no task, what begins it and what answers it. So all that
is counted is one command's: the tasks and connections of a node are shared by all, and a pipeline
carries what many have written. What a command leaves to others is not counted.

A race in which all commands are weighed takes a fifth longer, so that only some are. Which ones is
drawn apart: the race is the same, whichever are.
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
"""How often a command's work is counted: that takes 5 % of a race's time."""

BYTE = 0.05
"""As many calls take as long as encoding a byte."""

TABLES = 2_000.0
"""As many calls take as long as the loops in which the tables of a ruleset are made."""

FREE = 1_500.0
"""What a command may do whatever it costs: it looks up a player, a room and an attempt."""

EARNED = 500.0
"""What a command may do beyond that for each unit of its price, which stands for 0.15 ms."""

TESTS = str(Path(__file__).parents[1])

_TABLES = Ruleset._prepare_tables.__code__


@dataclass(slots=True)
class Bill:
    """What a command was charged, and what it made the node do.

    Attributes:
        of: the command's name.
        price: as `server.base.core.costs` has it.
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
    """Weighs some commands of a race, and complains of those that did not pay for their work."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._rng = random.Random(f"work {world.seed}")
        self._bill: Bill | None = None

    def places(self) -> list[tuple[Any, str, Any]]:
        """Return what is to be replaced in a race, so that commands are weighed."""
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
        """Call what is a part of a move, and return what it does.

        What is called inside of another one, such as the next move, adds its price to that.
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
        """Carry a command out step by step."""
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
        """Call something, and add what it does to a bill; garbage is nobody's, and waits."""
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
        """Count a call, unless the simulation makes it."""
        code = frame.f_code
        if event.endswith("call") and not code.co_filename.startswith(TESTS):
            assert self._bill is not None, "nothing else is counted"
            self._bill.work += TABLES if event == "call" and code is _TABLES else 1.0

    def _judge(self, bill: Bill) -> None:
        self._world.counts["commands weighed"] += 1
        if not bill.is_fair:
            text = f"{bill.work:.0f} calls, for a price of {bill.price:.1f}"
            self._world.complain("unpaid", bill.of, text)
