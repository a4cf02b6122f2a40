"""The player's or watched room."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from samedeal_client.messages import (
    CreateRoom,
    Done,
    JoinRoom,
    LeaveRoom,
    QuickMatch,
    Removed,
    RoomState,
    Runner,
    WatchRound,
)
from samedeal_client.protocol import Command, Event
from samedeal_client.refusal import Refusal
from samedeal_client.wire import Progress

# Refusals that mean that a returning member has lost the seat.
SEAT_LOST = {"unknown_room", "room_full", "room_locked", "room_closed", "removed"}


class RoomKeeper:
    """Keeps the state of one room current."""

    def __init__(self) -> None:
        # The room, with the counters of its running round; `None` without a room.
        self.state: RoomState | None = None
        # The notice that a host has removed the player, or that the room was closed.
        self.removed: Removed | None = None
        self.is_watched = False  # whether the player watches it without a seat
        self._sent: RoomState | None = None
        self._received = False

    def code(self) -> str:
        """Return the room's code.

        Raises:
            Refusal: `no_room` if the player is in none.
        """
        if self.state is None:
            raise Refusal("no_room", "You have no seat in a room.")
        return self.state.code

    def lost(self) -> None:
        """Accept the next session's state even if its version is lower."""
        self._received = False

    def seat_lost(self, refusal: Refusal) -> None:
        """Drop a room after a new session was refused the seat."""
        if self.state is not None and refusal.code in {"room_closed", "removed"}:
            self.removed = Removed(self.state.code, refusal.code == "room_closed")
        self.state = None

    def handle(self, event: Event, answered: Command[Any] | None) -> None:
        """Apply an event, if it concerns the room."""
        match event:
            case RoomState():
                if isinstance(answered, (CreateRoom, JoinRoom, QuickMatch)):
                    self.is_watched = False
                self._changed(event, asked=answered is not None)
            case Progress():
                self._progressed(event)
            case Removed() if self.state is not None and self.state.code == event.code:
                self.state, self.removed = None, event
            case Done() if isinstance(answered, LeaveRoom):
                self.state = None

    def watches(self, command: WatchRound) -> None:
        """Accept the state of a watched room, which arrives unsolicited."""
        if self.state is None or self.state.code != command.code:
            self.state, self.is_watched = None, True

    def unwatch(self) -> None:
        """Drop a room that is only watched."""
        if self.is_watched:
            self.state, self.is_watched = None, False

    def _changed(self, room: RoomState, *, asked: bool) -> None:
        self._sent = room
        known = self.state
        if known is None or known.code != room.code:
            # A late, unsolicited state of a room that was left.
            if not asked and not self.is_watched:
                return
        elif self._received and room.version < known.version:
            return
        self._received = True
        self.removed = None
        self.state = room

    def _progressed(self, progress: Progress) -> None:
        room, sent = self.state, self._sent
        if room is None or room.round is None or sent is None or sent.round is None:
            return
        # Runners are numbered as in the state sent last, even if that arrived late.
        if room.round.over or room.round.deal != sent.round.deal:
            return
        named = sent.round.runners
        further = {
            named[each.runner].attempt: each
            for each in progress.counters
            if each.runner < len(named)
        }

        def moved(runner: Runner) -> Runner:
            new, result = further.get(runner.attempt), runner.result
            if new is None:
                return runner
            left = result.left + result.home - new.home
            result = replace(result, home=new.home, left=left, moves=new.moves)
            return replace(runner, result=result, headway=new.headway)

        runners = tuple(map(moved, room.round.runners))
        self.state = replace(room, round=replace(room.round, runners=runners))
