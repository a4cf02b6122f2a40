"""Players who keep racing Robert while parts of the site fail."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from websockets.exceptions import WebSocketException

from tests.clients.client import Client, Message, opened
from tests.clients.play import KEY
from tests.processes import PATIENCE

PACE = 0.3
"""Seconds between attempts to connect, and between the first moves."""

SLOWER = 20
"""Moves before a player slows down to half the pace, so that a game lasts 4 minutes."""

DEALT, LAST = 51, 156
"""Cards of the stock, which is dealt three times, and the number of the last entry."""

AWAY = {"unavailable", "overloaded"}
"""Refusals that ask the client to resend the command."""


class _AwayError(Exception):
    """Redis or the node is temporarily unavailable."""


FAILURES = (OSError, WebSocketException, EOFError, _AwayError)
"""A client's errors while parts of the site are unavailable."""

T = TypeVar("T")


class LostError(AssertionError):
    """An acknowledged entry is missing."""


class Racer:
    """A player with an attempt.

    Attributes:
        seq: number of the attempt's last acknowledged entry.
    """

    def __init__(self, port: int, token: str, attempt: str) -> None:
        self.seq, self.moves, self.connections = 1, 0, 0
        self._port, self._token, self._attempt = port, token, attempt

    async def play(self, over: asyncio.Event) -> None:
        """Move until `over` is set, and once after it, reconnecting as needed.

        Raises:
            LostError: an acknowledged entry is missing.
            TimeoutError: no move was acknowledged for `PATIENCE` seconds after `over`.
        """
        while True:
            try:
                async with opened(self._port) as client:
                    self.connections += 1
                    await self._play_on(client, over)
                    return
            except FAILURES:
                await asyncio.sleep(PACE)

    async def check(self) -> None:
        """Check that all acknowledged entries are still there."""
        await _persistently(self._look)

    async def _look(self) -> None:
        async with opened(self._port) as client:
            await self._resume(client)

    async def _play_on(self, client: Client, over: asyncio.Event) -> None:
        await self._resume(client)
        while self.seq < LAST:
            is_last = over.is_set()
            # The waste is turned over after the last card of the stock.
            move = "w>s" if self.seq % (DEALT + 1) == 0 else "s>w"
            seq = self.seq + 1
            answer = _not_away(await client.ask("move", attempt=self._attempt, seq=seq, move=move))
            assert answer["seq"] == seq, answer
            self.seq, self.moves = seq, self.moves + 1
            if is_last:
                return
            await asyncio.sleep(PACE * (1 + self.moves / SLOWER))
        assert over.is_set(), "the game was over before the disturbance was"

    async def _resume(self, client: Client) -> None:
        _not_away(await client.hello(self._token))
        found = _not_away(await client.ask("attempt.open", attempt=self._attempt))
        if found["seq"] < self.seq:
            raise LostError(
                f"{self.seq - found['seq']} acknowledged entries of {self.seq} are lost"
            )
        self.seq = found["seq"]


async def race(port: int) -> list[Racer]:
    return await _persistently(partial(_race, port))


async def daily(port: int) -> Racer:
    return await _persistently(partial(_daily, port))


async def _race(port: int) -> list[Racer]:
    async with opened(port) as host, opened(port) as guest:
        for client in (host, guest):
            _not_away(await client.hello())
        wanted = {"game": "robert", "seats": 2, "limit": 600, "key": KEY}
        code = _not_away(await host.ask("room.create", **wanted))["code"]
        _not_away(await guest.ask("room.join", code=code))
        while (await host.ask("room.start", code=code))["code"] in {"players_away", *AWAY}:
            await asyncio.sleep(PACE)
        return [
            Racer(port, client.token, (await client.next("attempt"))["attempt"])
            for client in (host, guest)
        ]


async def _daily(port: int) -> Racer:
    async with opened(port) as client:
        _not_away(await client.hello())
        attempt = _not_away(await client.ask("daily.open", game="robert"))
        return Racer(port, client.token, attempt["attempt"])


async def _persistently(act: Callable[[], Awaitable[T]]) -> T:
    """Run an action on new sockets, retrying while the site is unavailable."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return await act()
            except FAILURES:
                await asyncio.sleep(PACE)


def _not_away(answer: Message) -> Message:
    if answer["type"] == "refused":
        if answer["code"] in AWAY:
            raise _AwayError
        raise AssertionError(f"refused: {answer}")
    return answer
