"""Players who keep racing Robert while parts of the site fail."""

from __future__ import annotations

import asyncio
import random

from tests.clients.play import KEY
from tests.faults.ledger import Message
from tests.faults.player import Player, World
from tests.processes import PATIENCE

PACE = 0.3
"""Seconds between the first moves."""

SLOWER = 20
"""Moves before a player slows down to half the pace, so that a game lasts 4 minutes."""

DEALT, LAST = 51, 156
"""Cards of the stock, which is dealt three times, and the number of the last entry."""


class Racer(Player):
    """A player with an attempt.

    Attributes:
        attempt: the attempt's id.
        seq: number of the attempt's last acknowledged entry.
        moves: number of acknowledged moves.
    """

    def __init__(self, port: int) -> None:
        super().__init__(0, World(port), random.Random(), PACE)
        self.attempt, self.seq, self.moves = "", 1, 0

    @property
    def connections(self) -> int:
        """The number of opened sockets."""
        return self.world.counts["sessions"]

    async def play(self, over: asyncio.Event) -> None:
        """Move until `over` is set, and once after it, reconnecting as needed."""
        while self.seq < LAST:
            is_last = over.is_set()
            # The waste is turned over after the last card of the stock.
            move = "w>s" if self.seq % (DEALT + 1) == 0 else "s>w"
            command: Message = {"attempt": self.attempt, "seq": self.seq + 1, "move": move}
            answer = _done(await self.ask("move", **command))
            assert answer["seq"] == self.seq + 1, answer
            assert not self.world.complaints, self.world.complaints
            self.seq, self.moves = self.seq + 1, self.moves + 1
            if is_last:
                return
            await asyncio.sleep(PACE * (1 + self.moves / SLOWER))
        assert over.is_set(), "the game was over before the disturbance was"

    async def check(self) -> None:
        """Check, in a new session, that all acknowledged entries are still there."""
        async with asyncio.timeout(PATIENCE):
            await self.leave()
            await self.resume()
        assert not self.world.complaints, self.world.complaints

    async def resume(self) -> None:
        """Open the attempt once it has cards."""
        while True:
            found = await self.ask("attempt.open", attempt=self.attempt)
            if found is not None and found["type"] == "attempt":
                self.seq = found["seq"]
                return
            await asyncio.sleep(PACE)

    def learn(self, event: Message) -> bool:
        """Update the state; complain if an acknowledged entry is missing."""
        if event["type"] == "attempt" and event["seq"] < self.seq:
            text = f"acknowledged entries of {self.seq}, only {event['seq']} are there"
            self.world.complain("lost", event["attempt"], text)
        return super().learn(event)


async def race(port: int) -> list[Racer]:
    """Start a race of two through the proxy."""
    racers = host, guest = [Racer(port), Racer(port)]
    async with asyncio.timeout(PATIENCE):
        wanted: Message = {"game": "robert", "seats": 2, "limit": 600, "key": KEY}
        code = _done(await host.ask("room.create", **wanted))["code"]
        _done(await guest.ask("room.join", code=code))
        while (await host.ask("room.start", code=code) or {}).get("code") == "players_away":
            await asyncio.sleep(PACE)
        for racer in racers:
            room = _done(await racer.ask("room.join", code=code))
            runners = {each["player"]["id"]: each for each in room["round"]["runners"]}
            racer.attempt = runners[racer.id]["attempt"]
            await racer.resume()
    return racers


async def daily(port: int) -> Racer:
    """Open a daily through the proxy."""
    racer = Racer(port)
    async with asyncio.timeout(PATIENCE):
        racer.attempt = _done(await racer.ask("daily.open", game="robert"))["attempt"]
    return racer


def _done(answer: Message | None) -> Message:
    assert answer is not None, "sent until it is answered"
    assert answer["type"] != "refused", answer
    return answer
