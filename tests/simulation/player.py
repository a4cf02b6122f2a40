"""A player: the small state machine of a client, on a network that it cannot trust."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import count
from typing import Any

from server.core.digest import digest
from server.gateway.messages.session import VERSION
from tests.faults.ledger import Ledger, Line, Message
from tests.faults.player import AGAIN, NEVER
from tests.faults.sight import Sight
from tests.faults.wire import NUMBERED
from tests.simulation import fates
from tests.simulation.network import Connection, Network
from tests.simulation.world import World
from tests.wire import Wire

CALM_PATIENCE = 15.0
"""Seconds for an answer when nothing is wrong."""

DESERVED = {"room_full", "not_seated"}
"""Refusals that these players do deserve now and then: they come late, and leave early."""


LOST = {"unknown_room", "unknown_attempt"}
"""Refusals that are deserved when the store has lost something."""


class Notes(Ledger):
    """A ledger that keeps messages as they are: there are few, and nobody changes them."""

    def __init__(self, player: str) -> None:
        super().__init__(player)
        self.lines_said: list[Line] = []
        self.lines_heard: list[Line] = []

    def say(self, command: Message, at: int | None = None) -> None:
        """Write down a command that is about to be sent."""
        assert at is not None, "time is the world's"
        self.lines_said.append(Line(at, command))

    def hear(self, event: Message, at: int | None = None) -> None:
        """Write down an event."""
        assert at is not None, "time is the world's"
        self.lines_heard.append(Line(at, event))

    def asked_since(self, time: int | None) -> Notes:
        """Return these notes without the answers to what was said before a time, if any.

        What was told before the store lost something may not stand any more.
        """
        if time is None:
            return self
        notes = Notes(self.player)
        notes.lines_said = self.lines_said
        late = {command["id"] for at, command in self.lines_said if at > time}
        notes.lines_heard = [line for line in self.lines_heard if line.message.get("re") in late]
        return notes

    def said(self) -> Iterator[Line]:
        """Yield the commands in the order in which they were said."""
        return iter(self.lines_said)

    def heard(self) -> Iterator[Line]:
        """Yield the events in the order in which they were heard."""
        return iter(self.lines_heard)


class LostError(Exception):
    """A connection cannot be had, or is no more."""


class Device:
    """One open session of a player."""

    def __init__(self, player: Player, number: int, node: int) -> None:
        self.lost = False
        self.wire = Wire()
        self._player = player
        self._answers: dict[int, asyncio.Future[Message | None]] = {}
        who = f"player {player.number}.{number}"
        found = player.network.open(self, node, who)
        if found is None:
            raise LostError
        self._connection: Connection = found

    def ask(self, command: Message, *, twice: bool = False) -> asyncio.Future[Message | None]:
        """Send a command; `None` says that there will be no answer."""
        answer: asyncio.Future[Message | None] = self._player.world.loop.create_future()
        if self.lost:
            answer.set_result(None)
            return answer
        self._answers[command["id"]] = answer
        for _ in range(2 if twice else 1):
            self._connection.say(self.wire.pack(command))
        return answer

    def hear(self, frame: bytes) -> None:
        """Be sent a frame."""
        event = self.wire.unpack(frame)
        self._player.hear(event)
        self.answer(event.get("re", 0), event)

    def answer(self, command: int, event: Message | None) -> None:
        """Hand an answer to who waits for it."""
        answer = self._answers.pop(command, None)
        if answer is not None and not answer.done():
            answer.set_result(event)

    def lose(self) -> None:
        """Find that the connection has ended."""
        self.lost = True
        for command in list(self._answers):
            self.answer(command, None)

    def close(self) -> None:
        """End it."""
        self._connection.cut()
        self.lose()


class Player:
    """One person with one identity, and one device or two.

    Attributes:
        doing: what it waits for or does, for a report about a player who is stuck.
        rooms: each room as it was told last.
        sights: each attempt as it is seen.
    """

    def __init__(self, world: World, network: Network, number: int) -> None:
        self.world = world
        self.network = network
        self.number = number
        self.rng = world.rng
        self.ledger = Notes("")
        self.doing = "nothing yet"
        self.rooms: dict[str, Message] = {}
        self.sights: dict[str, Sight] = {}
        self._token: str | None = None
        self._node = self.rng.randrange(len(network.nodes))
        self._devices: list[Device | None] = [None, None]
        self._opening: list[asyncio.Lock] = [asyncio.Lock(), asyncio.Lock()]
        self._ids = count(1)
        self._news = asyncio.Event()

    @property
    def id(self) -> str:
        """The identity, once it has one."""
        return self.ledger.player

    async def begin(self) -> None:
        """Become somebody."""
        await self._device(0)

    async def _device(self, number: int) -> Device:
        """Return an open session, made now if there is none; never gives up."""
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
        """Open a session and say hello.

        Raises:
            LostError: it did not work out.
        """
        node = (self._node + number) % len(self.network.nodes)
        device = Device(self, number, node)
        id_ = next(self._ids)
        hello = {"type": "hello", "id": id_, "version": VERSION, "token": self._token}
        answer = device.ask(hello)
        patience = self._patience()
        timer = self.world.loop.call_later(patience, device.answer, id_, None)
        welcome = await answer
        timer.cancel()
        if welcome is None or welcome["type"] != "welcome":
            if welcome is not None and welcome["code"] not in AGAIN:
                self.world.complain("broken", self.id, f"hello: {welcome}")
            device.close()
            raise LostError
        self._token = welcome["token"]
        if not self.ledger.player:
            self.ledger.player = welcome["player"]["id"]
        return device

    def at_hand(self) -> int:
        """Return the number of an open device, any of them if there are two."""
        both = all(device is not None and not device.lost for device in self._devices)
        return self.rng.randrange(2) if both else 0

    def _patience(self) -> float:
        return CALM_PATIENCE if self.world.calm else self.rng.uniform(0.1, 1.5)

    async def ask(self, type_: str, *, once: bool = False, **fields: Any) -> Message | None:
        """Send a command until it is answered, and return the answer.

        With `once` it is not sent again, and `None` says that it may have been carried out.
        """
        while True:
            answer = (await self.ask_all([{"type": type_, **fields}]))[0]
            if answer is not None and answer.get("code") not in AGAIN:
                return answer
            if once:
                return None
            await self.pause(0.05, 0.5)

    async def ask_all(self, wanted: list[Message], number: int = 0) -> list[Message | None]:
        """Send commands without waiting in between, and return what was answered in time."""
        device = await self._device(number)
        for attempt in dict.fromkeys(c["attempt"] for c in wanted if c["type"] in NUMBERED):
            if not device.wire.knows(attempt):
                opening = {"type": "attempt.open", "attempt": attempt}
                [opened] = await self._ask_at(device, [opening])
                if opened is None or opened["type"] == "refused":
                    # It answers what cannot even be said.
                    return [opened] * len(wanted)
        return await self._ask_at(device, wanted)

    async def _ask_at(self, device: Device, wanted: list[Message]) -> list[Message | None]:
        world = self.world
        commands = [{**fields, "id": next(self._ids)} for fields in wanted]
        futures = []
        for command in commands:
            self.ledger.say(command, int(world.now()))
            twice = world.season.happens(fates.AGAIN)
            if twice:
                world.fault(fates.AGAIN, self.id, command)
            else:
                world.note(self.id, "says", command)
            futures.append(device.ask(command, twice=twice))
        world.counts["commands"] += len(commands)
        timer = world.loop.call_later(self._patience(), self._lose_patience, device, commands)
        answers = [await future for future in futures]
        timer.cancel()
        for answer in answers:
            never = NEVER - DESERVED - (LOST if world.lost_at is not None else set())
            if answer is not None and answer.get("code") in never:
                world.complain("broken", self.id, f"{answer['code']} after {wanted}")
        if None in answers:
            world.counts["unanswered in time"] += 1
            device.close()
            if self.rng.random() < 0.5:
                self._node = self.rng.randrange(len(self.network.nodes))
        return answers

    def _lose_patience(self, device: Device, commands: list[Message]) -> None:
        if self.world.calm:
            self.world.note(self.id, "patience lost in the calm", [c["id"] for c in commands])
            self.world.counts["patience lost in the calm"] += 1
        for command in commands:
            device.answer(command["id"], None)

    async def pause(self, least: float, most: float) -> None:
        """Do nothing for a while, in seconds."""
        await asyncio.sleep(self.rng.uniform(least, most))

    async def news(self, seconds: float) -> None:
        """Return when there may be news, or nothing was heard for so long."""
        self._news.clear()
        timer = self.world.loop.call_later(seconds, self._news.set)
        await self._news.wait()
        timer.cancel()

    def hear(self, event: Message) -> None:
        """Write an event down, and see what it shows."""
        self.world.note(self.id, "hears", event)
        self.ledger.hear(event, int(self.world.now()))
        if "re" not in event:
            self._news.set()
        match event["type"]:
            case "attempt":
                self._see(Sight.of(event))
            case "missed":
                self._catch_up(event)
            case "moved":
                self._see_move(event)
            case "early progress":
                self.world.complain("misreported", self.id, f"progress of no room: {event}")
            case "ended":
                known = self.sights.get(event["attempt"])
                if known is not None and event["seq"] >= known.seq:
                    end, seq = event["result"]["end"], event["seq"]
                    self.sights[known.attempt] = Sight(known.attempt, seq, known.view, end)
            case "room":
                known_room = self.rooms.get(event["code"])
                known_version = known_room["version"] if known_room is not None else 0
                if event["version"] >= known_version or self.world.lost_at is not None:
                    self.rooms[event["code"]] = event

    def have(self, attempt: str) -> dict[str, int]:
        """Return what this player knows of an attempt, as it says so when it comes back."""
        sight = self.sights[attempt]
        return {"seq": sight.seq, "digest": digest(sight.view)}

    def _catch_up(self, missed: Message) -> None:
        """See where the entries lead that were missed, unless others have been seen meanwhile."""
        known = self.sights.get(missed["attempt"])
        if known is None or known.seq != missed["since"]:
            return
        after = known.caught_up(missed)
        if after is None:
            self.world.complain("misreported", missed["attempt"], f"{missed}")
            return
        self.world.counts["missed entries told"] += len(missed["moves"])
        self._see(after)

    def _see(self, sight: Sight) -> None:
        known = self.sights.get(sight.attempt)
        if known is None or sight.seq >= known.seq or self.world.lost_at is not None:
            self.sights[sight.attempt] = sight

    def _see_move(self, moved: Message) -> None:
        known = self.sights.get(moved["attempt"])
        if known is None or moved["seq"] <= known.seq:
            return
        after = known.after(moved) if moved["seq"] == known.seq + 1 else None
        if after is not None:
            self.sights[known.attempt] = after
        else:
            del self.sights[known.attempt]
