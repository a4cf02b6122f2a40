"""A player who reconnects after every fault, resends unanswered commands, and plays on."""

from __future__ import annotations

import asyncio
import random
from collections import Counter, deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from server.base.wire.session_messages import VERSION
from tests.faults.known import Known
from tests.faults.ledger import Ledger, Message
from tests.faults.wire import REPLACED, LostError, Wire

RETRYABLE = {"unavailable", "overloaded", "internal", "too_fast"}
"""Refusals that make the player resend the command after a pause."""

UNEXPECTED = {"bad_message", "hello_first", "bad_version", "bad_token", "bad_name", "internal"} | {
    "unknown_game",
    "unknown_variant",
    "unknown_room",
    "unknown_attempt",
    "unknown_day",
    "unknown_deal",
    "unknown_challenge",
    "room_full",
    "bad_move",
}
"""Refusals that these players' commands must never get."""

WITHOUT_A_SEAT = "unknown_room"
"""The refusal of room commands, except joining, after the player has lost the seat."""


def is_unexpected(code: str | None, type_: str, unexpected: Collection[str]) -> bool:
    """Return whether a command must not get this refusal; `None` stands for no refusal."""
    if code == WITHOUT_A_SEAT and type_ != "room.join":
        return False
    return code in unexpected


BACK = 0.6
"""Probability that a change of device returns to the previous one, if it is open."""

QUIET_TIMEOUT = 20.0
"""Seconds to wait for an answer when there are no more faults."""


@dataclass
class World:
    """State shared by all players.

    Attributes:
        port: the balancer's port.
        counts: number of occurrences, by name.
        duplicate: number of batches left to send with a duplicate command.
        reorder: number of batches left to send with two commands swapped.
        closing: whether the faults are over and players should finish.
        challenges: links of the latest challenges.
        circles: links of the latest circles.
        links: codes and watch keys shared by hosts, the latest ones.
        complaints: errors found by the players themselves.
        ledgers: one per identity.
    """

    port: int
    counts: Counter[str] = field(default_factory=Counter)
    duplicate: int = 0
    reorder: int = 0
    closing: bool = False
    challenges: deque[str] = field(default_factory=lambda: deque(maxlen=4))
    circles: deque[str] = field(default_factory=lambda: deque(maxlen=3))
    links: deque[tuple[str, str]] = field(default_factory=lambda: deque(maxlen=8))
    complaints: list[str] = field(default_factory=list)
    ledgers: list[Ledger] = field(default_factory=list)


class Player(Known):
    """A simulated person, with one identity at a time."""

    unexpected = frozenset(UNEXPECTED)
    """Refusals that cause a complaint."""

    def __init__(self, number: int, world: World, rng: random.Random) -> None:
        super().__init__()
        self.number = number
        self.world = world
        self.rng = rng
        self.doing = "nothing yet"
        """The current step, to report a stuck player."""
        self.ledger: Ledger | None = None
        self.opened = 0
        """Number of sessions opened."""
        self._token: str | None = None
        self._wire: Wire | None = None
        self._spare: Wire | None = None
        """The previous device, whose session goes on."""
        self._others: set[asyncio.Task[None]] = set()
        self._news = asyncio.Event()
        self._ids = count(1)

    @property
    def id(self) -> str:
        """The player's id, known after the first hello."""
        assert self.ledger is not None, "hello has succeeded"
        return self.ledger.player

    @property
    def port(self) -> int:
        """The port of the next session."""
        return self.world.port

    async def become_new(self) -> None:
        """Become a new guest."""
        await self.leave()
        self.ledger, self._token = None, None
        self.forget()
        await self.wire()

    async def wire(self) -> Wire:
        """Return the open session, or open one, retrying without end."""
        while self._wire is None or self._wire.lost:
            if self._wire is not None:
                self._lose(self._wire)
            try:
                self._wire = await self._open()
            except LostError:
                await self._pause(0.05, 0.5)
        return self._wire

    def _lose(self, wire: Wire) -> None:
        self.world.counts["connections lost"] += 1
        if wire.code == REPLACED:
            self.world.counts["replaced"] += 1
        self._wire = None

    async def vanish(self, seconds: float) -> None:
        """Close the session, and stay away for some seconds."""
        self.world.counts["vanished for a while"] += 1
        if self._wire is not None:
            await self._wire.close()
        await asyncio.sleep(seconds)

    async def take_over(self) -> None:
        """Continue in a second session, or return to the first; both record their events."""
        first = self._wire
        if self._spare is not None and not self._spare.lost and self.rng.random() < BACK:
            self._wire = self._spare
            self._put_aside(first)
            self.world.counts["back to the first device"] += 1
            return
        try:
            self._wire = await self._open()
        except LostError:
            return
        self.world.counts["second devices"] += 1
        self._put_aside(first)

    def _put_aside(self, device: Wire | None) -> None:
        """Keep a device's session open."""
        self._spare = device
        if device is not None:
            task = asyncio.create_task(self._drain(device))
            self._others.add(task)
            task.add_done_callback(self._others.discard)

    async def _drain(self, device: Wire) -> None:
        try:
            await device.wait_lost()
            if device is not self._wire and device.code == REPLACED:
                self.world.counts["replaced"] += 1
        finally:
            await device.close()

    async def _open(self) -> Wire:
        """Open a session and say hello.

        Raises:
            LostError: no session could be opened.
        """
        wire = await Wire.open(self.port, self._take, self._ids, self._timeout())
        hello = wire.command("hello", version=VERSION, token=self._token)
        [future] = await wire.send([hello])
        welcome = await self._answer(future)
        if welcome is None or welcome["type"] != "welcome":
            if welcome is not None and welcome["code"] not in RETRYABLE:
                self._complain(f"hello was refused as {welcome['code']}")
            await wire.close()
            raise LostError
        self.world.counts["sessions"] += 1
        self.opened += 1
        self._token = welcome["token"]
        if self.ledger is None:
            self.ledger = Ledger(welcome["player"]["id"])
            self.world.ledgers.append(self.ledger)
        return wire

    async def leave(self) -> None:
        """Close every socket."""
        for wire in (self._wire, self._spare):
            if wire is not None:
                await wire.close()
        self._wire = self._spare = None
        for task in list(self._others):
            task.cancel()
        await asyncio.gather(*self._others, return_exceptions=True)

    async def ask(
        self, type_: str, *, once: bool = False, deserved: str = "", **fields: Any
    ) -> Message | None:
        """Send a command until it is answered, and return the answer.

        With `once` it is sent only once; `None` then means that it may have been carried out. A
        refusal with the code `deserved` is expected.
        """
        while True:
            answer = (await self.ask_all([{"type": type_, **fields}], deserved))[0]
            if answer is not None and answer.get("code") not in RETRYABLE:
                return answer
            if once:
                return None
            if answer is not None:
                await self._pause(0.2, 1.0)

    async def ask_all(self, wanted: list[Message], deserved: str = "") -> list[Message | None]:
        """Send commands without waiting in between, and return the answers that arrive in time."""
        calm = self.world.closing
        wire = await self.wire()
        assert self.ledger is not None
        commands = [wire.command(**_typed(fields)) for fields in wanted]
        for command in commands:
            self.ledger.record_command(command)
        self.world.counts["commands"] += len(commands)
        sent = self._disturb(commands)
        futures = dict(zip(_ids(sent), await wire.send(sent), strict=True))
        answers = [await self._answer(futures[command["id"]]) for command in commands]
        for fields, answer in zip(wanted, answers, strict=True):
            code = answer.get("code") if answer is not None else None
            if answer is not None and is_unexpected(
                code, fields["type"], self.unexpected - {deserved}
            ):
                self._complain(f"{answer['code']} after {wanted}")
        if None in answers and not wire.lost:
            self.world.counts["answers timed out"] += 1
            if calm:
                self._complain(f"no answer within {QUIET_TIMEOUT} s to {wanted}")
            await wire.close()
        return answers

    def _disturb(self, commands: list[Message]) -> list[Message]:
        """Return the commands to send, with a duplicate or a swap if a fault is planned."""
        world, sent = self.world, list(commands)
        if world.duplicate > 0:
            world.duplicate -= 1
            world.counts["fault: message twice"] += 1
            at = self.rng.randrange(len(sent))
            sent.insert(self.rng.randrange(at, len(sent)) + 1, sent[at])
        if world.reorder > 0 and len(commands) > 1:
            world.reorder -= 1
            world.counts["fault: messages swapped"] += 1
            at = self.rng.randrange(len(sent) - 1)
            sent[at], sent[at + 1] = sent[at + 1], sent[at]
        return sent

    async def _answer(self, future: asyncio.Future[Message | None]) -> Message | None:
        """Return an answer, or `None` after the player's timeout."""
        await asyncio.wait({future}, timeout=self._timeout())
        return future.result() if future.done() else None

    def _timeout(self) -> float:
        return QUIET_TIMEOUT if self.world.closing else self.rng.uniform(0.5, 8.0)

    async def until(self, happened: Callable[[], bool], seconds: float) -> bool:
        """Wait for news until a condition holds; return whether it does within some seconds."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while not happened():
            left = deadline - loop.time()
            if left <= 0 or self._wire is None or self._wire.lost:
                return False
            self._news.clear()
            # A lost connection brings no news, so check again every half second.
            try:
                await asyncio.wait_for(self._news.wait(), min(left, 0.5))
            except TimeoutError:
                continue
        return True

    async def _pause(self, least: float, most: float) -> None:
        await asyncio.sleep(self.rng.uniform(least, most))

    def _complain(self, text: str) -> None:
        self.world.complaints.append(f"player {self.number}: {text}")

    def _take(self, event: Message) -> None:
        """Record an event and update the state."""
        if self.ledger is not None:
            self.ledger.record_event(event)
        if not self.learn(event):
            self._complain(f"missed moves do not apply: {event}")
        self._news.set()


def _ids(commands: list[Message]) -> list[int]:
    """Return the distinct ids of commands, in order."""
    return list(dict.fromkeys(command["id"] for command in commands))


def _typed(fields: Message) -> dict[str, Any]:
    rest = {name: value for name, value in fields.items() if name != "type"}
    return {"type_": fields["type"], **rest}
