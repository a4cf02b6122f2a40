"""Recorded games on the fixed deal of the measured node, and rooms that play them.

A node searches for a way to bring another card home once all cards have been seen. The recorded
games end before that; games by hints continue to the end.
"""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import Callable, Sequence
from functools import cache

from deploy.bench import wire
from deploy.bench.client import Client, masked
from engine.board import Board
from engine.catalog import daily_games, games, ruleset
from engine.deal import SEED_BYTES, deal_seed
from engine.hints import hint
from engine.moves import legal_moves
from engine.play import apply
from engine.ruleset import Move
from engine.search import Outcome, cards_never_seen, search
from server.play import messages as attempts
from server.rooms import messages as rooms

SEED = bytes(range(SEED_BYTES))  # the seed of every deal
# The same games as at first, so that figures stay comparable. They deal cards face down, and are
# never searched for a while.
GAMES = tuple(game for game in daily_games() if games()[game].listing.crown == "rarities")
MAX_MOVES = 300  # the most moves of a recorded game, like a person's long game
ROUND_LIMIT = 7_200  # the time limit of a round, in seconds
FIRST_ENTRY = 2  # the journal entry of a first move, after the start, which is 1
_OTHER_SHARE = 0.97  # the share of turns that prefer another legal move to dealing from the stock


@cache
def recorded(game: str, max_moves: int = MAX_MOVES) -> list[Move]:
    """Return the first moves of a game's recorded run, which cause no search."""
    rules, choice = ruleset(game), random.Random(7)  # noqa: S311 - not a secret

    def choose(board: Board) -> Move | None:
        moves = legal_moves(board)
        # Moves are random and deals come late, for a long run.
        others = [move for move in moves if move.source != rules.stock]
        move = choice.choice(others if others and choice.random() < _OTHER_SHARE else moves)
        return move if cards_never_seen(apply(board, move)) else None

    return _played(game, max_moves, choose)


@cache
def hinted(game: str) -> list[Move]:
    """Return the moves of a player who follows hints until none helps or the node ends the game."""

    def choose(board: Board) -> Move | None:
        seen = not cards_never_seen(board)
        is_over = seen and search(board).outcome is Outcome.UNREACHABLE
        return None if is_over else hint(board)

    return _played(game, MAX_MOVES, choose)


def _played(game: str, max_moves: int, choose: Callable[[Board], Move | None]) -> list[Move]:
    board: Board = deal_seed(ruleset(game), SEED)
    found: list[Move] = []
    while len(found) < max_moves and (move := choose(board)) is not None:
        board = apply(board, move)
        found.append(move)
    return found


@cache
def frames(game: str, number: int, max_moves: int = 0) -> list[bytes]:
    """Return the frames of an attempt's moves: `max_moves` recorded ones, or all by hints if 0."""
    moves = recorded(game, max_moves) if max_moves else hinted(game)
    return [masked(each) for each in wire.moves(ruleset(game), number, FIRST_ENTRY, moves)]


async def open_room(host: Client, game: str, seats: int) -> str:
    """Create a room, and return its code."""
    key = secrets.token_hex(8)
    room: rooms.RoomState = await host.ask(rooms.CreateRoom, game, seats, ROUND_LIMIT, key)
    return room.code


async def race(players: Sequence[Client], game: str) -> list[attempts.Attempt]:
    """Start a round in a new room, and return the attempts; the first player is the host."""
    host, *guests = players
    code = await open_room(host, game, len(players))
    for guest in guests:
        await guest.ask(rooms.JoinRoom, code)
        await guest.ask(rooms.SetReady, code, True)
    snapshots = [player.snapshot(code) for player in players]
    await host.ask(rooms.StartRound, code)
    return await asyncio.gather(*snapshots)
