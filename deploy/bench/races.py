"""Sessions, pairs of them in rooms, and the attempts that they have there."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from deploy.bench import wire
from deploy.bench.client import Client, connect, masked
from deploy.bench.games import LONGEST, recorded
from engine.catalog import games, ruleset

LIMIT = 7_200
"""Seconds of a round."""

GAMES = tuple(games())


@dataclass(frozen=True, slots=True)
class Attempt:
    """A player's attempt, and the frames that play the recorded game from its start."""

    id: str
    room: str
    handle: wire.Handle
    frames: list[bytes]


async def greeted(port: int) -> Client:
    """Open a session as a new guest."""
    client = await connect(port)
    await client.ask(wire.hello)
    return client


async def greeted_pair(port: int) -> list[Client]:
    """Open two sessions."""
    return [await greeted(port), await greeted(port)]


async def open_room(host: Client, game: str, seats: int) -> str:
    """Open a room, and return its code."""
    room = await host.ask(wire.create_room, game, seats, LIMIT, secrets.token_hex(8))
    assert room.room is not None, "a room tells its code"
    return room.room


async def race(players: Sequence[Client], game: str, longest: int = LONGEST) -> list[Attempt]:
    """Let players begin a round in a new room, and return their attempts."""
    host, *guests = players
    code = await open_room(host, game, len(players))
    for guest in guests:
        await guest.ask(wire.join_room, code)
        await guest.ask(wire.ready, code)
    cards = [player.expect_cards(code) for player in players]
    await host.ask(wire.start, code)
    return [attempt(each, game, longest) for each in await asyncio.gather(*cards)]


def attempt(cards: wire.Event, game: str, longest: int) -> Attempt:
    """Return the attempt that a first snapshot shows."""
    assert cards.attempt is not None, "a snapshot says whose it is"
    assert cards.handle is not None, "a snapshot says how to name it"
    moves = recorded(game, longest)
    payloads = wire.moves(ruleset(game), cards.handle, cards.seq + 1, moves)
    frames = [masked(payload) for payload in payloads]
    return Attempt(cards.attempt, cards.room or "", cards.handle, frames)
