"""Sessions, rooms with rounds, and the attempts of their players."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from deploy.bench import wire
from deploy.bench.client import Client, connect, masked
from deploy.bench.games import MAX_MOVES, recorded, searched
from engine.catalog import games, ruleset
from engine.ruleset import Move

ROUND_LIMIT = 7_200
"""The time limit of a round, in seconds."""

GAMES = tuple(games())


@dataclass(frozen=True, slots=True)
class Attempt:
    """A player's attempt, and the frames that play the recorded game from its start."""

    id: str
    room: str
    handle: wire.Handle
    frames: list[bytes]


async def open_session(port: int) -> Client:
    """Open a session as a new guest."""
    client = await connect(port)
    await client.ask(wire.hello)
    return client


async def open_session_pair(port: int) -> list[Client]:
    """Open two sessions as new guests."""
    return [await open_session(port), await open_session(port)]


async def open_room(host: Client, game: str, seats: int) -> str:
    """Create a room, and return its code."""
    room = await host.ask(wire.create_room, game, seats, ROUND_LIMIT, secrets.token_hex(8))
    assert room.room is not None, "a room has a code"
    return room.room


async def race(
    players: Sequence[Client], game: str, max_moves: int = MAX_MOVES, *, whole: bool = False
) -> list[Attempt]:
    """Start a round of these players in a new room, and return their attempts.

    Args:
        players: the players, the host first.
        game: the game.
        max_moves: the most moves of an attempt.
        whole: whether the moves go on when all cards have been seen.
    """
    host, *guests = players
    code = await open_room(host, game, len(players))
    for guest in guests:
        await guest.ask(wire.join_room, code)
        await guest.ask(wire.ready, code)
    snapshots = [player.expect_snapshot(code) for player in players]
    await host.ask(wire.start, code)
    moves = searched()[0] if whole else recorded(game, max_moves)
    return [attempt(each, game, moves) for each in await asyncio.gather(*snapshots)]


def attempt(snapshot: wire.Event, game: str, moves: list[Move]) -> Attempt:
    """Return the attempt of a snapshot that was taken at its start."""
    assert snapshot.attempt is not None, "a snapshot names its attempt"
    assert snapshot.handle is not None, "a snapshot has a handle"
    payloads = wire.moves(ruleset(game), snapshot.handle, snapshot.seq + 1, moves)
    frames = [masked(payload) for payload in payloads]
    return Attempt(snapshot.attempt, snapshot.room or "", snapshot.handle, frames)
