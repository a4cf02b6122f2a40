"""Conversion of watched boards to messages, according to `server.watching.core.sight`.

They are made from runners' views and deltas, which omit cards that the runner has not seen.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.board import delta_between, view_of
from server.base.core.ids import PlayerId
from server.base.wire.messages import Result
from server.play import present as play_present
from server.play.core import attempt as core
from server.rooms.core.room import Room
from server.watching.core.sight import WATCH_DELAY_MS, Sight
from server.watching.messages import Watched, WatchedBoard, WatchedMove
from server.watching.watching import WatchedEntry


def watched(
    room: Room, seen: Sight, boards: Iterable[tuple[core.Attempt | None, str | None]]
) -> Watched:
    """Return the boards of a room's latest round, for watchers with one sight.

    `boards` has, for each runner, the visible state of the attempt, or `None` if nothing is
    visible, and the code of the error that prevents reading it; it is empty if the boards are
    hidden.
    """
    round_ = room.round
    players = round_.players if round_ is not None else ()
    shown = [_watched_board(runner, *board) for runner, board in zip(players, boards, strict=False)]
    return Watched(
        code=room.opened.code,
        round=round_.number if round_ is not None else 0,
        sight=seen,
        delay=WATCH_DELAY_MS if seen == "delayed" else 0,
        game=round_.terms.game if round_ is not None else None,
        variant=round_.terms.variant if round_ is not None else None,
        rules=round_.rules if round_ is not None else None,
        boards=shown if seen != "hidden" else [],
    )


def _watched_board(
    runner: PlayerId, found: core.Attempt | None, problem: str | None
) -> WatchedBoard:
    if found is None:
        return WatchedBoard(runner, 0, [], 0, Result(0, 0, 0, 0, None), problem)
    view = view_of(found.board)
    shown = play_present.result(found.result)
    return WatchedBoard(runner, found.seq, list(view.piles), view.redeals, shown, problem)


def watching_ended(room: Room, why: str) -> Watched:
    """Return the event that ends a session's watching, with a refusal's code."""
    number = room.round.number if room.round is not None else 0
    return Watched(room.opened.code, number, "ended", 0, None, None, None, [], why)


def watched_move(entry: WatchedEntry) -> WatchedMove:
    """Return the event for a runner's move, the same for all watchers, in about 10 µs."""
    before, after = entry.before, entry.after
    if before is None:
        piles = enumerate(view_of(after.board).piles)
        changes = [[number, 0, *pile] for number, pile in piles if pile]
    else:
        changes = play_present.changes(delta_between(before.board, after.board))
    redeals = after.board.redeals
    shown = play_present.result(after.result)
    return WatchedMove(entry.round, entry.place, after.seq, changes, redeals, shown)
