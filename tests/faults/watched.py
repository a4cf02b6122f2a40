"""Checks of the events received by spectators against the runners' journals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from engine.board import delta_between, view_of
from engine.catalog import stored_ruleset
from engine.deal import deal_seed
from server.play.core import attempt as core
from server.play.core.attempt import Attempt, Event, Started
from server.play.core.result import Result
from server.rooms.core.room import Round
from tests.faults.complaint import SLACK, Complaint, Kind
from tests.faults.ledger import Line, Message
from tests.faults.room_history import RoomHistory
from tests.faults.stored import Stored

_DECODER: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


@dataclass(slots=True)
class WatchedChecks:
    """Checks of the events received by spectators."""

    stored: Stored
    rooms: Mapping[str, RoomHistory]
    delay: int
    complaints: list[Complaint]
    _states: dict[str, list[Attempt]] = field(default_factory=dict)

    def check(self, watcher: str, line: Line) -> int:
        """Check a spectator's event; return the number of boards in it."""
        message = line.message
        if "code" not in message or message["round"] == 0:
            # A late move of a round no longer watched, which a client ignores.
            return 0
        history = self.rooms.get(message["code"])
        rounds = history.rounds if history is not None else []
        round_ = next((each for each in rounds if each.number == message["round"]), None)
        if round_ is None:
            about = f"room {message['code']} round {message['round']}"
            self.complaints.append(Complaint("lost", about, f"{watcher} watched it at {line.at}"))
            return 0
        if message["type"] == "WatchedMove":
            return self._check_move(watcher, round_, line)
        shown = [board for board in message["boards"] if board["seq"] > 0]
        for board in shown:
            self._check_board(watcher, round_, board, line.at)
        return len(shown)

    def _check_move(self, watcher: str, round_: Round, line: Line) -> int:
        message = line.message
        since, seq = message["since"], message["seq"]
        if seq <= since:
            return 0
        state = self._shown(watcher, round_, message["player"], seq, line.at)
        if state is None:
            return 0
        if since == 0:
            piles = enumerate(view_of(state.board).piles)
            wanted = [[number, 0, *pile] for number, pile in piles if pile]
        else:
            before = self._of(round_, message["player"])[since - 1]
            changes = delta_between(before.board, state.board).changes
            wanted = [[pile, take, *put] for pile, take, put in changes]
        found = [list(change) for change in message["changes"]]
        if (found, message["redeals"]) != (wanted, state.board.redeals):
            self._complain("misreported", state, f"{watcher} saw {found}, expected {wanted}")
        return 1

    def _check_board(self, watcher: str, round_: Round, board: Message, at: int) -> None:
        state = self._shown(watcher, round_, board["player"], board["seq"], at)
        if state is not None:
            view = view_of(state.board)
            if (tuple(board["piles"]), board["redeals"]) != (view.piles, view.redeals):
                self._complain("misreported", state, f"{watcher} saw {board['piles']}")
            if Result(**board["result"]) != state.result:
                self._complain("misreported", state, f"{watcher} saw {board['result']}")

    def _shown(self, watcher: str, round_: Round, runner: str, seq: int, at: int) -> Attempt | None:
        """Return the stored state shown to a watcher.

        Complain if the watcher was not allowed to see it.
        """
        states = self._of(round_, runner)
        if not 1 <= seq <= len(states):
            about = f"{round_.deal}.{runner} entry {seq}"
            self.complaints.append(Complaint("lost", about, f"{watcher} saw it at {at}"))
            return None
        state = states[seq - 1]
        runs = watcher in round_.players
        if runs:
            own = self._of(round_, watcher)[-1]
            if own.end is None or own.at > at + SLACK:
                self._complain("leaked", state, f"{watcher} saw it at {at}, still in the race")
        shown_from = max(state.at, state.start.at) + (0 if runs else self.delay)
        if at < shown_from - SLACK:
            self._complain("leaked", state, f"{watcher} saw it {shown_from - at} ms too early")
        return state

    def _of(self, round_: Round, runner: str) -> list[Attempt]:
        attempt = f"{round_.deal}.{runner}"
        if attempt not in self._states:
            self._states[attempt] = list(self._replayed(attempt))
        return self._states[attempt]

    def _replayed(self, attempt: str) -> list[Attempt]:
        states: list[Attempt] = []
        for _, text in self.stored.attempts.get(attempt, []):
            event = _DECODER.decode(text)
            if isinstance(event, Started):
                rules = stored_ruleset(event.game, event.variant, event.rules)
                seed = bytes.fromhex(self.stored.deals[event.deal]["seed"])
                states.append(core.begin(event, deal_seed(rules, seed)))
            elif states:
                states.append(core.fold(states[-1], event))
        return states

    def _complain(self, kind: Kind, state: Attempt, text: str) -> None:
        about = f"{state.id} entry {state.seq}"
        self.complaints.append(Complaint(kind, about, text))
