"""A player: comes back after every fault, says again what was not answered, and plays on."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from server.gateway.messages.session import VERSION
from tests.faults.ledger import Ledger, Message
from tests.faults.sight import Sight
from tests.faults.wire import REPLACED, LostError, Wire

AGAIN = {"unavailable", "overloaded", "internal", "too_fast"}
"""Refusals after which the same command is sent again, a moment later."""

NEVER = {"bad_message", "hello_first", "bad_version", "bad_token", "bad_name", "internal"} | {
    "unknown_game",
    "unknown_variant",
    "unknown_room",
    "unknown_attempt",
    "unknown_day",
    "unknown_deal",
    "room_full",
    "not_seated",
    "bad_move",
}
"""Refusals that no command of these players deserves."""

CALM_PATIENCE = 20.0
"""Seconds for an answer when nothing is wrong."""


@dataclass
class World:
    """What all players share.

    Attributes:
        port: the balancer's.
        counts: what has happened, by name.
        duplicate: how many bursts are still to be sent with a message twice.
        reorder: how many bursts are still to be sent with two messages swapped.
        closing: whether it is time to finish, since no more faults come.
        complaints: what players found wrong themselves.
        ledgers: one for each identity.
    """

    port: int
    counts: Counter[str] = field(default_factory=Counter)
    duplicate: int = 0
    reorder: int = 0
    closing: bool = False
    complaints: list[str] = field(default_factory=list)
    ledgers: list[Ledger] = field(default_factory=list)


class Player:
    """One person, who has one identity at a time."""

    def __init__(self, number: int, world: World, rng: random.Random) -> None:
        self.number = number
        self.world = world
        self.rng = rng
        self.doing = "nothing yet"
        """What it waits for or does, for a report about a player who is stuck."""
        self.ledger: Ledger | None = None
        self.rooms: dict[str, Message] = {}
        self.sights: dict[str, Sight] = {}
        self.firsts: dict[str, Sight] = {}
        """What was seen of each attempt at first, as a device has it that slept since."""
        self.opened = 0
        """How many sessions there have been."""
        self._token: str | None = None
        self._wire: Wire | None = None
        self._others: set[asyncio.Task[None]] = set()
        self._news = asyncio.Event()
        self._ids = count(1)

    @property
    def id(self) -> str:
        """The identity, which must have been made."""
        assert self.ledger is not None, "it has said hello"
        return self.ledger.player

    async def become_new(self) -> None:
        """Become a guest whom nobody has seen before."""
        await self.leave()
        self.ledger, self._token = None, None
        self.rooms, self.sights, self.firsts = {}, {}, {}
        await self.wire()

    async def wire(self) -> Wire:
        """Return an open session, made now if there is none; never gives up."""
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

    async def take_over(self) -> None:
        """Go on with another device; what the first one still hears counts as heard."""
        old = self._wire
        try:
            self._wire = await self._open()
        except LostError:
            return
        self.world.counts["second devices"] += 1
        if old is not None:
            task = asyncio.create_task(self._hear_out(old))
            self._others.add(task)
            task.add_done_callback(self._others.discard)

    async def _hear_out(self, old: Wire) -> None:
        try:
            await old.wait_lost()
            if old.code == REPLACED:
                self.world.counts["replaced"] += 1
        finally:
            await old.close()

    async def _open(self) -> Wire:
        """Open a session and say hello.

        Raises:
            LostError: it did not work out.
        """
        wire = await Wire.open(self.world.port, self._take, self._ids, self._patience())
        hello = wire.command("hello", version=VERSION, token=self._token)
        [future] = await wire.send([hello])
        welcome = await self._answer(future)
        if welcome is None or welcome["type"] != "welcome":
            if welcome is not None and welcome["code"] not in AGAIN:
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
        if self._wire is not None:
            await self._wire.close()
            self._wire = None
        for task in list(self._others):
            task.cancel()
        await asyncio.gather(*self._others, return_exceptions=True)

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
            if answer is not None:
                await self._pause(0.2, 1.0)

    async def ask_all(self, wanted: list[Message]) -> list[Message | None]:
        """Send commands without waiting in between, and return what was answered in time."""
        calm = self.world.closing
        wire = await self.wire()
        assert self.ledger is not None
        commands = [wire.command(**_typed(fields)) for fields in wanted]
        for command in commands:
            self.ledger.say(command)
        self.world.counts["commands"] += len(commands)
        sent = self._mischief(commands)
        futures = dict(zip(_ids(sent), await wire.send(sent), strict=True))
        answers = [await self._answer(futures[command["id"]]) for command in commands]
        for answer in answers:
            if answer is not None and answer.get("code") in NEVER:
                self._complain(f"{answer['code']} after {wanted}")
        if None in answers and not wire.lost:
            self.world.counts["patience lost"] += 1
            if calm:
                self._complain(f"no answer within {CALM_PATIENCE} s to {wanted}")
            await wire.close()
        return answers

    def _mischief(self, commands: list[Message]) -> list[Message]:
        """Return the commands as they are sent: some twice, or in another order, if so wanted."""
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
        """Wait for an answer for as long as this player likes."""
        await asyncio.wait({future}, timeout=self._patience())
        return future.result() if future.done() else None

    def _patience(self) -> float:
        return CALM_PATIENCE if self.world.closing else self.rng.uniform(0.5, 8.0)

    async def until(self, happened: Callable[[], bool], seconds: float) -> bool:
        """Wait for news until something has happened; return whether it has, in so many seconds."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while not happened():
            left = deadline - loop.time()
            if left <= 0 or self._wire is None or self._wire.lost:
                return False
            self._news.clear()
            # A connection that is lost brings no news: look up now and then.
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
        """Write an event down, and see what it shows."""
        if self.ledger is not None:
            self.ledger.hear(event)
        match event["type"]:
            case "attempt":
                self._see(Sight.of(event))
            case "moved":
                self._see_move(event)
            case "missed":
                self._see_missed(event)
            case "ended":
                known = self.sights.get(event["attempt"])
                if known is not None:
                    ended = event["result"]["end"]
                    seq = max(known.seq, event["seq"])
                    self.sights[known.attempt] = Sight(known.attempt, seq, known.view, ended)
            case "room":
                known_room = self.rooms.get(event["code"])
                if known_room is None or event["version"] >= known_room["version"]:
                    self.rooms[event["code"]] = event
        self._news.set()

    def _see(self, sight: Sight) -> None:
        self.firsts.setdefault(sight.attempt, sight)
        known = self.sights.get(sight.attempt)
        if known is None or sight.seq >= known.seq:
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

    def _see_missed(self, missed: Message) -> None:
        attempt, since = missed["attempt"], missed["since"]
        had = (self.sights.get(attempt), self.firsts.get(attempt))
        base = next((sight for sight in had if sight is not None and sight.seq == since), None)
        if base is None:
            # What it leads on from is no longer seen, since more was told meanwhile.
            return
        after = base.caught_up(missed)
        if after is not None:
            self._see(after)
        else:
            self._complain(f"what was missed does not follow: {missed}")


def _ids(commands: list[Message]) -> list[int]:
    """Return the numbers of commands, each once, as they come first."""
    return list(dict.fromkeys(command["id"] for command in commands))


def _typed(fields: Message) -> dict[str, Any]:
    rest = {name: value for name, value in fields.items() if name != "type"}
    return {"type_": fields["type"], **rest}
