"""A player: a small client on an unreliable network."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator, Set
from itertools import count
from typing import Any

from server.base.wire.session_messages import VERSION
from server.play.core.digest import digest
from server.play.core.keys import UNPLAYED_LIFE_MS
from tests.faults.known import Known
from tests.faults.ledger import Ledger, Line, Message
from tests.faults.player import RETRYABLE, UNEXPECTED, is_unexpected
from tests.faults.wire import NUMBERED
from tests.simulation import faults
from tests.simulation.network import Connection, Network
from tests.simulation.world import World
from tests.wire import Wire

QUIET_TIMEOUT = 15.0
"""Seconds to wait for an answer after faults have stopped."""

NEVER_EXPECTED = frozenset({"internal", "bad_message", "hello_first", "bad_version"})
"""Refusals that must never occur, whatever is sent."""

DESERVED = {"room_full", "not_seated"}
"""Refusals that these players may get: they come late, or hand over to members who just left."""


LOST = {"unknown_room", "unknown_attempt"}
"""Refusals that they may get after the store has lost something."""


class MemoryLedger(Ledger):
    """A ledger of unencoded messages, which are few and never change."""

    def __init__(self, player: str) -> None:
        super().__init__(player)
        self.command_lines: list[Line] = []
        self.event_lines: list[Line] = []

    def record_command(self, command: Message, at: int | None = None) -> None:
        """Record a command that is about to be sent."""
        assert at is not None, "the time is simulated"
        self.command_lines.append(Line(at, command))

    def record_event(self, event: Message, at: int | None = None) -> None:
        """Record an event."""
        assert at is not None, "the time is simulated"
        self.event_lines.append(Line(at, event))

    def answers_since(self, time: int | None) -> MemoryLedger:
        """Return a ledger with only the answers to commands sent after a time, if one is given.

        Events from before a loss need not agree with the store any more.
        """
        if time is None:
            return self
        ledger = MemoryLedger(self.player)
        ledger.command_lines = self.command_lines
        late = {command["id"] for at, command in self.command_lines if at > time}
        # What spectators were shown is read again when the runner advances, not before.
        ledger.event_lines = [
            line
            for line in self.event_lines
            if line.message.get("re") in late and line.message["type"] != "Watched"
        ]
        return ledger

    def commands(self) -> Iterator[Line]:
        """Yield the commands in the order sent."""
        return iter(self.command_lines)

    def events(self) -> Iterator[Line]:
        """Yield the events in the order received."""
        return iter(self.event_lines)


class LostError(Exception):
    """A connection cannot be opened, or has ended."""


class Device:
    """One open session of a player."""

    def __init__(self, player: Player, number: int, node: int) -> None:
        self.lost = False
        self.wire = Wire()
        self._player = player
        self._answers: dict[int, asyncio.Future[Message | None]] = {}
        who = f"player {player.number}.{number}"
        found = player.network.open(self, node, who, player.address)
        if found is None:
            raise LostError
        self._connection: Connection = found
        self.node = found.node.name

    def ask(self, command: Message, *, twice: bool = False) -> asyncio.Future[Message | None]:
        """Send a command and return a future of its answer, `None` if the connection ends."""
        answer: asyncio.Future[Message | None] = self._player.world.loop.create_future()
        if self.lost:
            answer.set_result(None)
            return answer
        self._answers[command["id"]] = answer
        for _ in range(2 if twice else 1):
            self._connection.send_command(self.wire.pack(command))
        return answer

    def receive(self, frame: bytes) -> None:
        """Receive a frame."""
        event = self.wire.unpack(frame)
        self._player.receive(event)
        self.answer(event.get("re", 0), event)

    def answer(self, command: int, event: Message | None) -> None:
        """Resolve the future of a command that still waits."""
        answer = self._answers.pop(command, None)
        if answer is not None and not answer.done():
            answer.set_result(event)

    def lose(self) -> None:
        """Note that the connection has ended."""
        self.lost = True
        for command in list(self._answers):
            self.answer(command, None)

    def close(self) -> None:
        """Close the connection."""
        self._connection.cut()
        self.lose()


class Player(Known):
    """A simulated person with one identity and up to two devices.

    Attributes:
        address: its network address; may be empty.
        doing: its current action or wait, for reports of stuck players.
    """

    def __init__(self, world: World, network: Network, number: int, address: str = "") -> None:
        super().__init__()
        self.address = address
        self.world = world
        self.network = network
        self.number = number
        self.rng = world.rng
        self.ledger = MemoryLedger("")
        self.doing = "nothing yet"
        self._token: str | None = None
        self._node = self.rng.randrange(len(network.nodes))
        self._devices: list[Device | None] = [None, None]
        self._opening: list[asyncio.Lock] = [asyncio.Lock(), asyncio.Lock()]
        self._ids = count(1)
        self._news = asyncio.Event()

    @property
    def id(self) -> str:
        """The player's id, once it is known."""
        return self.ledger.player

    @property
    def node(self) -> str:
        """The last node of its first device's session, if any."""
        device = self._devices[0]
        return device.node if device is not None else ""

    @property
    def unexpected(self) -> Set[str]:
        """Refusals that it must not get."""
        return UNEXPECTED - DESERVED - (LOST if self.world.lost_at is not None else set())

    @property
    def accepts_older(self) -> bool:
        """Whether rooms and attempts may go back, because the store has lost entries."""
        return self.world.lost_at is not None

    async def begin(self) -> None:
        """Open a session."""
        await self._device(0)

    async def _device(self, number: int) -> Device:
        """Return a device's open session, or open one, retrying indefinitely."""
        async with self._opening[number]:
            while True:
                device = self._devices[number]
                if device is not None and not device.lost:
                    return device
                try:
                    self._devices[number] = await self._open(number)
                except LostError:
                    await self.pause(0.05, 0.5)
                    self._node = self.rng.randrange(len(self.network.nodes))

    async def _open(self, number: int) -> Device:
        """Open a session and complete the handshake.

        Raises:
            LostError: no session could be opened.
        """
        node = (self._node + number) % len(self.network.nodes)
        device = Device(self, number, node)
        id_ = next(self._ids)
        hello = {"type": "hello", "id": id_, "version": VERSION, "token": self._token}
        answer = device.ask(hello)
        timeout = self._timeout()
        timer = self.world.loop.call_later(timeout, device.answer, id_, None)
        welcome = await answer
        timer.cancel()
        if welcome is None or welcome["type"] != "welcome":
            if welcome is not None and welcome["code"] not in RETRYABLE:
                self.world.complain("broken", self.id, f"hello: {welcome}")
            device.close()
            raise LostError
        self._token = welcome["token"]
        if not self.ledger.player:
            self.ledger.player = welcome["player"]["id"]
        return device

    async def vanish(self, seconds: float) -> None:
        """Close all sessions and open none for a while."""
        self.world.counts["vanished for a while"] += 1
        for device in self._devices:
            if device is not None and not device.lost:
                device.close()
        await asyncio.sleep(seconds)

    def random_device(self) -> int:
        """Return the number of an open device, at random if there are two."""
        both = all(device is not None and not device.lost for device in self._devices)
        return self.rng.randrange(2) if both else 0

    def _timeout(self) -> float:
        return QUIET_TIMEOUT if self.world.calm else self.rng.uniform(0.1, 1.5)

    async def ask(self, type_: str, *, once: bool = False, **fields: Any) -> Message | None:
        """Send a command until it is answered, and return the answer.

        With `once` it is not sent again; `None` then means that it may have been carried out.
        """
        while True:
            answer = (await self.ask_all([{"type": type_, **fields}]))[0]
            if answer is not None and answer.get("code") not in RETRYABLE:
                return answer
            if once:
                return None
            await self.pause(0.05, 0.5)

    async def ask_all(self, wanted: list[Message], number: int = 0) -> list[Message | None]:
        """Send commands without waiting in between, and return the answers received in time."""
        device = await self._device(number)
        for attempt in dict.fromkeys(c["attempt"] for c in wanted if c["type"] in NUMBERED):
            if not device.wire.knows(attempt):
                opening = {"type": "attempt.open", "attempt": attempt}
                [opened] = await self._ask_at(device, [opening])
                if opened is None or opened["type"] == "refused":
                    # These cannot be sent without the session's number for the attempt.
                    return [opened] * len(wanted)
        return await self._ask_at(device, wanted)

    async def _ask_at(self, device: Device, wanted: list[Message]) -> list[Message | None]:
        world = self.world
        commands = [{**fields, "id": next(self._ids)} for fields in wanted]
        futures = []
        for command in commands:
            self.ledger.record_command(command, int(world.now()))
            twice = world.faults.happens(faults.COMMAND_TWICE)
            if twice:
                world.fault(faults.COMMAND_TWICE, self.id, command)
            else:
                world.note(self.id, "sends", command)
            futures.append(device.ask(command, twice=twice))
        world.counts["commands"] += len(commands)
        timer = world.loop.call_later(self._timeout(), self._time_out, device, commands)
        answers = [await future for future in futures]
        timer.cancel()
        for fields, answer in zip(wanted, answers, strict=True):
            code = answer.get("code") if answer is not None else None
            if code == "unknown_attempt" and self._has_expired(fields["attempt"]):
                continue
            if answer is not None and is_unexpected(code, fields["type"], self.unexpected):
                world.complain("broken", self.id, f"{answer['code']} after {wanted}")
        if None in answers:
            world.counts["answers timed out"] += 1
            device.close()
            if self.rng.random() < 0.5:
                self._node = self.rng.randrange(len(self.network.nodes))
        return answers

    def _has_expired(self, attempt: str) -> bool:
        """Return whether an unplayed attempt would have expired."""
        deadlines = [
            line.message["deadline"]
            for line in self.ledger.event_lines
            if line.message["type"] == "attempt" and line.message["attempt"] == attempt
        ]
        return max(deadlines, default=math.inf) + UNPLAYED_LIFE_MS <= self.world.now()

    def _time_out(self, device: Device, commands: list[Message]) -> None:
        if self.world.calm:
            self.world.note(self.id, "timed out without faults", [c["id"] for c in commands])
            self.world.counts["timed out without faults"] += 1
        for command in commands:
            device.answer(command["id"], None)

    async def pause(self, least: float, most: float) -> None:
        """Sleep for a random time between two numbers of seconds."""
        await asyncio.sleep(self.rng.uniform(least, most))

    async def news(self, seconds: float) -> None:
        """Wait for an event that answers no command, at most some seconds."""
        self._news.clear()
        timer = self.world.loop.call_later(seconds, self._news.set)
        await self._news.wait()
        timer.cancel()

    def receive(self, event: Message) -> None:
        """Record an event, and update the state."""
        self.world.note(self.id, "receives", event)
        self.ledger.record_event(event, int(self.world.now()))
        if "re" not in event:
            self._news.set()
        match event["type"]:
            case "early progress":
                self.world.complain("misreported", self.id, f"progress of no room: {event}")
            case "missed":
                self.world.counts["missed entries"] += len(event["moves"])
        if not self.learn(event):
            self.world.complain("misreported", event["attempt"], f"{event}")

    def have(self, attempt: str) -> dict[str, int]:
        """Return the `have` field for a known attempt."""
        state = self.states[attempt]
        return {"seq": state.seq, "digest": digest(state.view)}
