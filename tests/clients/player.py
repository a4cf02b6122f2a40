"""A scripted player, who reconnects after every fault and resends unanswered commands."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterable, Set
from itertools import count
from typing import Any, Protocol

from server.base.wire.session_messages import VERSION
from tests.clients.known import Known
from tests.clients.session import Session
from tests.faults.ledger import Ledger, Message

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

NUMBERED = {"move", "resign", "Undo", "Hint"}
"""Commands that name an attempt by its number in the session."""


class LostError(Exception):
    """A connection could not be opened, or has ended."""


class World(Protocol):
    """State shared by the players of a run.

    Attributes:
        counts: number of occurrences, by name.
        closing: whether players should finish.
        ledgers: one per identity.
    """

    counts: Counter[str]
    closing: bool
    ledgers: list[Ledger]

    @property
    def calm(self) -> bool:
        """Whether faults have stopped."""

    def now(self) -> float:
        """Return Redis's time in Unix milliseconds."""

    def skip_time(self, milliseconds: float) -> None:
        """Advance the time, if it is simulated."""

    def complain(self, kind: str, about: str, text: str) -> None:
        """Add a complaint."""


class Player(Known):
    """A person with one identity at a time, and up to two devices.

    Subclasses connect the devices.

    Attributes:
        doing: its current action or wait, for reports of stuck players.
        pace: mean seconds between its commands in an attempt.
        stamina: multiplies the number of its moves.
    """

    pace = 1 / 6
    stamina = 1
    unheeded: Set[str] = frozenset()
    """News that end no wait for news."""

    def __init__(self, number: int, world: World, rng: random.Random) -> None:
        super().__init__()
        self.number = number
        self.world = world
        self.rng = rng
        self.ledger = Ledger("")
        self.doing = "nothing yet"
        self._token: str | None = None
        self._devices: list[Session | None] = [None, None]
        self._opening = (asyncio.Lock(), asyncio.Lock())
        self._ids = count(1)
        self._news = asyncio.Event()

    async def connect(self, number: int, take: Callable[[Message], None]) -> Session:
        """Return a device's new connection, whose events are passed to `take`.

        Raises:
            LostError: it could not be opened.
        """
        raise NotImplementedError

    def timeout(self) -> float:
        """Return the seconds to wait for an answer."""
        raise NotImplementedError

    def have(self, attempt: str) -> Message | None:
        """Return the `have` with which to resume a known attempt."""
        raise NotImplementedError

    def takes_second_device(self, attempt: str) -> bool:
        """Return whether to play on a second device at the same time."""
        raise NotImplementedError

    def roam(self) -> None:
        """Choose a node for the next session, after a failure."""

    def disturbed(self, commands: list[Message]) -> Iterable[Message]:
        """Return the commands to send in place of others, possibly with duplicates."""
        return commands

    def ignored(self, commands: list[Message]) -> None:
        """Handle missing answers although no faults are injected."""

    @property
    def id(self) -> str:
        """The player's id, once it is known."""
        return self.ledger.player

    @property
    def unexpected(self) -> Set[str]:
        """Refusals that it must not get."""
        return UNEXPECTED

    async def begin(self) -> None:
        """Open a session."""
        await self._device(0)

    async def become_new(self) -> None:
        """Become a new guest."""
        await self.leave()
        self.ledger, self._token = Ledger(""), None
        self.forget()
        await self.begin()

    async def _device(self, number: int) -> Session:
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
                    self.roam()

    async def _open(self, number: int) -> Session:
        """Open a session and complete the handshake.

        Raises:
            LostError: no session could be opened.
        """
        device = await self.connect(number, self.receive)
        welcome = await self.answer(device, "hello", version=VERSION, token=self._token)
        if welcome is None or welcome["type"] != "welcome":
            if welcome is not None and welcome["code"] not in RETRYABLE:
                self.world.complain("broken", self.id, f"hello: {welcome}")
            await device.end()
            raise LostError
        self.world.counts["sessions"] += 1
        self._token = welcome["token"]
        if not self.ledger.player:
            self.ledger.player = welcome["player"]["id"]
            self.world.ledgers.append(self.ledger)
        return device

    async def leave(self) -> None:
        """Close all sessions."""
        for device in self._devices:
            if device is not None and not device.lost:
                await device.end()

    async def vanish(self, seconds: float) -> None:
        """Close all sessions and open none for a while."""
        self.world.counts["vanished for a while"] += 1
        await self.leave()
        await asyncio.sleep(seconds)

    def random_device(self) -> int:
        """Return the number of an open device, at random if there are two."""
        both = all(device is not None and not device.lost for device in self._devices)
        return self.rng.randrange(2) if both else 0

    async def ask(
        self, type_: str, *, once: bool = False, deserved: str = "", **fields: Any
    ) -> Message | None:
        """Send a command until it is answered, and return the answer.

        With `once` it is not sent again; `None` then means that it may have been carried out. A
        refusal with the code `deserved` is expected.
        """
        while True:
            [answer] = await self.ask_all([{"type": type_, **fields}], deserved=deserved)
            if answer is not None and answer.get("code") not in RETRYABLE:
                return answer
            if once:
                return None
            await self.pause(0.05, 0.5)

    async def ask_all(
        self, wanted: list[Message], number: int = 0, deserved: str = ""
    ) -> list[Message | None]:
        """Send commands without waiting in between, and return the answers received in time."""
        device = await self._device(number)
        for attempt in dict.fromkeys(c["attempt"] for c in wanted if c["type"] in NUMBERED):
            if not device.knows(attempt):
                opening = {"type": "attempt.open", "attempt": attempt}
                [opened] = await self._ask_at(device, [opening])
                if opened is None or opened["type"] == "refused":
                    # These cannot be sent without the session's number for the attempt.
                    return [opened] * len(wanted)
        return await self._ask_at(device, wanted, deserved)

    async def _ask_at(
        self, device: Session, wanted: list[Message], deserved: str = ""
    ) -> list[Message | None]:
        world, calm = self.world, self.world.calm
        commands = [{**fields, "id": next(self._ids)} for fields in wanted]
        for command in commands:
            self.ledger.record_command(command, int(world.now()))
        world.counts["commands"] += len(commands)
        found = await self._answers(device, self.disturbed(commands))
        answers = [found[command["id"]] for command in commands]
        for fields, answer in zip(wanted, answers, strict=True):
            code = answer.get("code") if answer is not None else None
            if code not in {None, deserved} and self.is_unexpected(code, fields):
                world.complain("broken", self.id, f"{code} after {wanted}")
        if None in answers:
            world.counts["answers timed out"] += 1
            if calm and not device.lost:
                self.ignored(commands)
            await device.end()
            if self.rng.random() < 0.5:
                self.roam()
        return answers

    async def answer(self, device: Session, type_: str, **fields: Any) -> Message | None:
        """Send a command that is not recorded, and return its answer, if it comes in time."""
        command = {"type": type_, "id": next(self._ids), **fields}
        return (await self._answers(device, [command]))[command["id"]]

    async def _answers(self, device: Session, sent: Iterable[Message]) -> dict[int, Message | None]:
        """Send commands, and return the answers by id: `None` if they do not come in time."""
        futures = {command["id"]: device.submit(command) for command in sent}

        def give_up() -> None:
            for command in futures:
                device.answer(command, None)

        timer = asyncio.get_running_loop().call_later(self.timeout(), give_up)
        answers = {command: await future for command, future in futures.items()}
        timer.cancel()
        return answers

    def is_unexpected(self, code: str, fields: Message) -> bool:
        """Return whether a command must not get this refusal."""
        if code == WITHOUT_A_SEAT and fields["type"] != "room.join":
            return False
        return code in self.unexpected

    async def pause(self, least: float, most: float) -> None:
        """Sleep for a random time between two numbers of seconds."""
        await asyncio.sleep(self.rng.uniform(least, most))

    async def news(self, seconds: float) -> None:
        """Wait for an event that answers no command, at most some seconds."""
        self._news.clear()
        timer = asyncio.get_running_loop().call_later(seconds, self._news.set)
        await self._news.wait()
        timer.cancel()

    def receive(self, event: Message) -> None:
        """Record an event, and update the state."""
        self.ledger.record_event(event, int(self.world.now()))
        if "re" not in event and event["type"] not in self.unheeded:
            self._news.set()
        if event["type"] == "early progress":
            self.world.complain("misreported", self.id, f"progress of no room: {event}")
        if not self.learn(event):
            self.world.complain("misreported", event["attempt"], f"missed moves: {event}")
