"""Players, attempts and rooms for tests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator

from engine.board import Board
from engine.catalog import ruleset
from engine.moves import brings_home, legal_moves
from engine.notation import move_text, parse_move
from engine.play import apply
from engine.ruleset import Move
from server.base.core.ids import DealId, PlayerId, RoomCode
from server.base.core.refusal import Refusal
from server.play.core import attempt
from server.play.core.attempt import Attempt, Started
from server.play.core.result import Help, Result
from server.rooms.core import commands
from server.rooms.core import room as race
from server.rooms.core.events import Event, RoomOpened
from server.rooms.core.room import Room, Round
from tests.dates import asked
from tests.engine.positions import easy_board
from tests.relatives import find_ruleset

ADA, BOB, CYD, DAN, EVE = PLAYERS = tuple(PlayerId(f"{name}0000000000000") for name in
                                          ("ada", "b0b", "cyd", "dan", "eve"))  # fmt: skip
DEAL = DealId("dea1000000000000")
CODE = RoomCode("H7KQ2")
START = round(1_000 * (asked() or 4_102_488_000.0))
"""Noon of a far future day, so that no key of a test has expired, or the time set by `AT`."""
LIMIT = 900_000


def started(
    game: str = "robert", *, player: PlayerId = ADA, at: int = START, allowed: Help = "none"
) -> Started:
    """Return the first entry of an attempt in a room."""
    rules = find_ruleset(game).digest
    return Started(player, DEAL, game, "standard", CODE, None, at, at + LIMIT, rules, allowed)


def begun(game: str = "robert", board: Board | None = None, *, allowed: Help = "none") -> Attempt:
    """Return an attempt that has just started, on the easy board or another."""
    return attempt.begin(started(game, allowed=allowed), board or easy_board(ruleset(game)))


def after(state: Attempt, move: str, now: int) -> Attempt:
    """Return the attempt after a legal move."""
    return attempt.play(state, parse_move(state.board.ruleset, move), now).after


def homewards(board: Board) -> Move | None:
    """Return a legal move, preferably one that brings a card home."""
    moves = legal_moves(board)
    home = (move for move in moves if brings_home(board.ruleset, move))
    return next(home, moves[0] if moves else None)


def line_home(board: Board) -> Iterator[str]:
    """Yield the texts of the moves chosen by `homewards` from a board on, until none is legal."""
    while (move := homewards(board)) is not None:
        yield move_text(board.ruleset, move)
        board = apply(board, move)


def opened(seats: int = 3) -> Room:
    """Return a room opened by Ada, with no seat taken."""
    return race.fold(None, RoomOpened(CODE, ADA, "robert", "standard", seats, LIMIT, START))


def room_of(*players: PlayerId, seats: int = 3) -> Room:
    """Return a room with these players seated, in this order."""
    room = opened(seats)
    for player in players:
        room = then(room, commands.take_seat(room, player, START))
    return room


def then(room: Room, event: Event | None) -> Room:
    """Return the room after an event; fail if the event is `None`."""
    assert event is not None
    return race.fold(room, event)


def race_of(*players: PlayerId) -> Room:
    """Return a room with a race of these players; the first is the host."""
    room = room_of(*players)
    return then(room, commands.start(room, players[0], DEAL, "c0ffee", START, present=players))


def agreed(room: Room, *players: PlayerId) -> Room:
    """Return the room after players, or all members not sitting out, agreed to a round."""
    for player in players or [seat.player for seat in room.seats if not seat.out]:
        if not room.running and (event := commands.set_ready(room, player, True, START)):
            room = race.fold(room, event)
    return room


def round_of(room: Room) -> Round:
    """Return the room's round, which must exist."""
    assert room.round is not None
    return room.round


def running_in(room: Room) -> Round:
    """Return the room's running round."""
    assert room.running is not None
    return room.running


def finished(room: Room, player: PlayerId, result: Result) -> Room:
    """Return the room after a runner has finished."""
    return then(room, commands.finish(room, DEAL, player, result, START))


def reached(home: int, time: int = 0, moves: int = 0) -> Result:
    """Return the result of a resigned attempt with `home` of 52 cards on foundations."""
    return Result(home, 52 - home, time, moves, "resigned")


async def refusal_from(asked: Awaitable[object]) -> str | None:
    try:
        await asked
    except Refusal as refusal:
        return refusal.code.name
    return None


def refusal_of(act: Callable[[], object]) -> str | None:
    try:
        act()
    except Refusal as refusal:
        return refusal.code.name
    return None
