"""The boards of a watched round."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from engine.board import View, apply_delta
from engine.errors import EngineError
from engine.ruleset import Ruleset
from engine.wire import read_delta, read_view
from samedeal_client.messages import (
    Removed,
    Result,
    RoomState,
    Watched,
    WatchedBoard,
    WatchedMove,
    WatchRound,
)
from samedeal_client.protocol import Command, Event

# Refusals that end watching after a reconnect.
WATCH_LOST = {"removed", "not_invited", "still_racing", "too_many_watchers"}


@dataclass(frozen=True, slots=True)
class RunnerBoard:
    """A watched runner's board.

    Attributes:
        player: the runner's id.
        view: the visible board; `None` if hidden, or while its rules are unknown.
        seq: the last shown entry of the runner's journal.
        result: the current result.
        problem: the code of the problem that keeps the server from reading the board, or `None`.
    """

    player: str
    view: View | None
    seq: int
    result: Result
    problem: str | None


@dataclass(frozen=True, slots=True)
class WatchedRound:
    """The latest round of a watched room.

    Attributes:
        code: the room's.
        round: the round's number; 0 before the first one.
        sight: `live`, `delayed` or `hidden`; `ended` once watching has ended.
        delay: the delay of moves in milliseconds.
        ruleset: the rules; `None` before the first round, and while they are unknown.
        boards: in order of the runners.
        why: the code of the reason why watching has ended.
    """

    code: str
    round: int
    sight: str
    delay: int
    ruleset: Ruleset | None
    boards: tuple[RunnerBoard, ...]
    why: str | None = None


class WatchKeeper:
    """Keeps the boards of one round current."""

    def __init__(self) -> None:
        self.wanted: WatchRound | None = None  # the watching command; `None` if no room is watched
        self.state: WatchedRound | None = None  # the round; `None` before it arrives

    def stop(self, why: str | None = None) -> None:
        """Stop watching."""
        self.wanted = None
        ended = why is not None and self.state is not None
        self.state = replace(self.state, sight="ended", why=why) if ended and self.state else None

    def handle(self, event: Event, answered: Command[Any] | None, ruleset: Ruleset | None) -> bool:
        """Apply an event, if it concerns the watched round.

        `ruleset` are the rules named by a `Watched`, if known. Return whether the round must be
        requested again, because the event does not fit.
        """
        wanted = self.wanted
        if wanted is None:
            return False
        match event:
            case Watched(code=wanted.code):
                if event.sight == "ended":
                    self.stop(event.why or "not_invited")
                else:
                    self.state = _shown(event, ruleset)
            case WatchedMove():
                return self._moved(event)
            case Removed(code=wanted.code):
                self.stop("removed")
            case RoomState() if answered is not None and event.code != wanted.code:
                self.stop()
        return False

    def _moved(self, event: WatchedMove) -> bool:
        watched = self.state
        if watched is None or watched.ruleset is None or watched.round != event.round:
            return False
        board = watched.boards[event.board]
        if event.seq <= board.seq:
            return False
        view = board.view or read_view(watched.ruleset, [b""] * len(watched.ruleset.pile_names))
        try:
            view = apply_delta(view, read_delta(view, event.changes, event.redeals))
        except EngineError:
            return True
        new = replace(board, view=view, seq=event.seq, result=event.result)
        boards = (*watched.boards[: event.board], new, *watched.boards[event.board + 1 :])
        self.state = replace(watched, boards=boards)
        return False


def _shown(event: Watched, ruleset: Ruleset | None) -> WatchedRound:
    def shown(board: WatchedBoard) -> RunnerBoard:
        view = None
        if board.seq and ruleset is not None:
            view = read_view(ruleset, board.piles, board.redeals, board.result.moves)
        return RunnerBoard(board.player, view, board.seq, board.result, board.problem)

    boards = tuple(map(shown, event.boards))
    return WatchedRound(event.code, event.round, event.sight, event.delay, ruleset, boards)
