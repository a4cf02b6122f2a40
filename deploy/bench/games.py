"""Recorded games on the deal that the measured node always deals, and rooms that play them.

A node searches for a way to bring another card home once all cards have been seen. The recorded
games end before that; `searched` returns what comes after in the one game that has it.
"""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from deploy.bench import wire
from deploy.bench.client import Client, masked
from engine.board import Board
from engine.catalog import games, ruleset
from engine.deal import SEED_BYTES, deal_seed
from engine.moves import legal_moves
from engine.play import apply
from engine.ruleset import Move
from engine.search import cards_never_seen
from server.protocol import rooms

SEED = bytes(range(SEED_BYTES))
"""The seed of every deal."""

GAMES = tuple(games())

MAX_MOVES = 300
"""The most moves of a recorded game: as many as a long game of a person has."""

SEARCHED = "robert"
"""The game in which all cards can be seen early: its waste is turned over."""

ROUND_LIMIT = 7_200
"""The time limit of a round, in seconds."""

FIRST_ENTRY = 2
"""The number of a first move's entry in its journal: the start is 1."""

_MIN_STOCK = 10
"""The number of cards in the stock at which a game stops dealing from it, before the last time."""

_OTHER_SHARE = 0.97
"""The share of turns on which another legal move is preferred to dealing from the stock."""


@cache
def recorded(game: str, max_moves: int = MAX_MOVES) -> list[Move]:
    """Return the first moves of a ruleset's recorded game, in which no position is searched."""
    board = deal_seed(ruleset(game), SEED)
    found = []
    for move in _played(game, max_moves):
        board = apply(board, move)
        if not cards_never_seen(board):
            break
        found.append(move)
    return found


def searched() -> tuple[list[Move], int]:
    """Return a whole game of `SEARCHED`, and how many of its moves are not searched."""
    return _played(SEARCHED, MAX_MOVES), len(recorded(SEARCHED))


def _played(game: str, max_moves: int) -> list[Move]:
    rules = ruleset(game)
    choice = random.Random(7)  # noqa: S311 - not a secret
    board: Board = deal_seed(rules, SEED)
    found: list[Move] = []
    while len(found) < max_moves:
        moves = legal_moves(board)
        dealing = [move for move in moves if move.source == rules.stock]
        others = [move for move in moves if move.source != rules.stock]
        left = len(board.piles[rules.stock])
        if rules.waste is not None and left <= _MIN_STOCK and board.redeals < rules.redeals:
            left = rules.total
        if left <= _MIN_STOCK or (others and choice.random() < _OTHER_SHARE):
            dealing = []
        if not (dealing or others):
            break
        move = choice.choice(dealing or others)
        found.append(move)
        board = apply(board, move)
    return found


@dataclass(frozen=True, slots=True)
class Attempt:
    """A player's attempt in a room, and the frames that play it from its start."""

    id: str
    room: str
    number: int
    frames: list[bytes]


@cache
def frames(game: str, number: int, max_moves: int) -> list[bytes]:
    """Return the frames of the moves of an attempt with a number, as many as are recorded."""
    payloads = wire.moves(ruleset(game), number, FIRST_ENTRY, recorded(game, max_moves))
    return [masked(payload) for payload in payloads]


async def open_room(host: Client, game: str, seats: int) -> str:
    """Create a room, and return its code."""
    key = secrets.token_hex(8)
    room: rooms.RoomState = await host.ask(rooms.CreateRoom, game, seats, ROUND_LIMIT, key)
    return room.code


async def race(players: Sequence[Client], game: str, max_moves: int = MAX_MOVES) -> list[Attempt]:
    """Start a round of these players, the host first, in a new room; return their attempts."""
    host, *guests = players
    code = await open_room(host, game, len(players))
    for guest in guests:
        await guest.ask(rooms.JoinRoom, code)
        await guest.ask(rooms.SetReady, code, True)
    snapshots = [player.snapshot(code) for player in players]
    await host.ask(rooms.StartRound, code)
    return [
        Attempt(each.attempt, code, each.number, frames(game, each.number, max_moves))
        for each in await asyncio.gather(*snapshots)
    ]
