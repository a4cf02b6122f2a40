"""A player: the small state machine of a client, on a network that it cannot trust."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import count
from typing import Any

from engine.board import Change, Delta, apply_delta
from engine.errors import PositionError
from server.core.digest import digest
from server.core.ids import PlayerId
from tests.faults.ledger import Ledger, Line, Message
from tests.faults.player import AGAIN, NEVER
from tests.faults.sight import Sight, pile_of
from tests.simulation.network import Network
from tests.simulation.world import World

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


class Player:
    """One person with one identity, and one device or two.

    Attributes:
        doing: what it waits for or does, for a report about a player who is stuck.
        rooms: each room as it was told last.
        sights: each attempt as it is seen.
    """

    def __init__(self, world: World, network: Network, number: int) -> None:
        self.id = PlayerId(f"p{number:015d}")
        self.world = world
        self.rng = world.rng
        self.doing = "nothing yet"
        self.ledger = Notes(self.id)
        self.rooms: dict[str, Message] = {}
        self.sights: dict[str, Sight] = {}
        self._network = network
        self._node = self.rng.randrange(len(network.nodes))
        self._ids = count(1)
        self._waiting: dict[int, asyncio.Future[Message | None]] = {}
        self._news = asyncio.Event()

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

    async def ask_all(self, wanted: list[Message], device: int = 0) -> list[Message | None]:
        """Send commands without waiting in between, and return what was answered in time."""
        world, calm = self.world, self.world.calm
        commands = [{**fields, "id": next(self._ids)} for fields in wanted]
        node = (self._node + device) % len(self._network.nodes)
        futures = {}
        for command in commands:
            futures[command["id"]] = world.loop.create_future()
            self._waiting[command["id"]] = futures[command["id"]]
            self.ledger.say(command, int(world.now()))
            self._network.send(self, device, node, command)
        world.counts["commands"] += len(commands)
        patience = CALM_PATIENCE if calm else self.rng.uniform(0.1, 1.5)
        timer = world.loop.call_later(patience, self._lose_patience, list(futures))
        answers = [await future for future in futures.values()]
        timer.cancel()
        for id_, answer in zip(futures, answers, strict=True):
            del self._waiting[id_]
            never = NEVER - DESERVED - (LOST if world.lost_at is not None else set())
            if answer is not None and answer.get("code") in never:
                world.complain("broken", self.id, f"{answer['code']} after {wanted}")
        if None in answers:
            world.counts["unanswered in time"] += 1
            if self.rng.random() < 0.5:
                self._node = self.rng.randrange(len(self._network.nodes))
        return answers

    def give_up(self, command: int) -> None:
        """Find that a command cannot be sent, or was not answered."""
        future = self._waiting.get(command)
        if future is not None and not future.done():
            future.set_result(None)

    def _lose_patience(self, commands: list[int]) -> None:
        missing = [id_ for id_ in commands if not self._waiting[id_].done()]
        if missing and self.world.calm:
            self.world.note(self.id, "patience lost in the calm", missing)
            self.world.counts["patience lost in the calm"] += 1
        for id_ in missing:
            self.give_up(id_)

    async def pause(self, least: float, most: float) -> None:
        """Do nothing for a while, in seconds."""
        await asyncio.sleep(self.rng.uniform(least, most))

    def hint(self) -> None:
        """Be told that there may be news."""
        self._news.set()

    async def news(self, seconds: float) -> None:
        """Return when there may be news, or nothing was heard for so long."""
        self._news.clear()
        timer = self.world.loop.call_later(seconds, self._news.set)
        await self._news.wait()
        timer.cancel()

    def hear(self, event: Message) -> None:
        """Write an event down, see what it shows, and hand it to who waits for it."""
        self.ledger.hear(event, int(self.world.now()))
        match event["type"]:
            case "attempt":
                self._see(Sight.of(event))
            case "missed":
                self._catch_up(event)
            case "moved":
                self._see_move(event)
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
        future = self._waiting.get(event.get("re", 0))
        if future is not None and not future.done():
            future.set_result(event)

    def have(self, attempt: str) -> dict[str, int]:
        """Return what this player knows of an attempt, as it says so when it comes back."""
        sight = self.sights[attempt]
        return {"seq": sight.seq, "digest": digest(sight.view)}

    def _catch_up(self, missed: Message) -> None:
        """See where the entries lead that were missed, unless others have been seen meanwhile."""
        known = self.sights.get(missed["attempt"])
        if known is None or known.seq != missed["since"]:
            return
        view = known.view
        numbers = view.ruleset.pile_numbers
        for _, changes, redeals in missed["moves"]:
            made = tuple(Change(numbers[pile], take, pile_of(put)) for pile, take, put in changes)
            try:
                view = apply_delta(view, Delta(made, redeals, view.moves + 1))
            except PositionError:
                self.world.complain("misreported", missed["attempt"], f"{missed}")
                return
        self.world.counts["missed entries told"] += len(missed["moves"])
        self._see(Sight(known.attempt, missed["seq"], view, missed["result"]["end"]))

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
