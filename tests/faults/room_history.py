"""Checks of a room's journal: decided again, and compared with its members' ledgers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from server.core import race
from server.core.ids import PlayerId
from server.core.race import (
    Event,
    ReadySet,
    Room,
    RoomOpened,
    Round,
    RoundStarted,
    RunnerFinished,
    SeatLeft,
    SeatTaken,
)
from server.core.ranking import Result
from server.core.refusal import Refusal
from tests.faults.commands import NEVER_SENT, CommandIndex
from tests.faults.complaint import SLACK, Complaint, Kind
from tests.faults.ledger import Line, Message
from tests.faults.stored import Entry

_DECODER: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)

Deals = Mapping[str, Mapping[str, str]]


@dataclass(slots=True)
class RoomHistory:
    """A room, folded from its journal.

    Attributes:
        states: `states[n - 1]` is the state after entry n.
    """

    code: str
    states: list[Room] = field(default_factory=list)

    @property
    def rounds(self) -> list[Round]:
        """The last state of every round."""
        last: dict[int, Round] = {}
        for state in self.states:
            if state.round is not None:
                last[state.round.number] = state.round
        return list(last.values())

    def check_received(self, line: Line, deals: Deals, complaints: list[Complaint]) -> None:
        """Compare a room event with the journal."""
        message, version = line.message, line.message["version"]
        about = f"room {self.code} version {version}"
        if not 1 <= version <= len(self.states):
            complaints.append(Complaint("lost", about, f"it was received at {line.at}"))
            return
        state = self.states[version - 1]
        if (found := _reported(message)) != (wanted := _expected(state, deals)):
            wrong = {name: (found[name], wanted[name]) for name in wanted
                     if found[name] != wanted[name]}  # fmt: skip
            complaints.append(Complaint("misreported", about, f"received and expected: {wrong}"))
        round_ = state.round
        for runner in (message["round"] or {"runners": []})["runners"] if round_ else []:
            assert round_ is not None
            result = round_.results.get(runner["player"]["id"])
            if result is not None and result != Result(**runner["result"]):
                complaints.append(Complaint("misreported", about, f"{runner}, {result} is stored"))


def _reported(message: Message) -> dict[str, Any]:
    """Return the fields of a room event that follow from the journal."""
    names = ("game", "variant", "seats", "limit", "host")
    round_ = message["round"]
    return {name: message[name] for name in names} | {
        "members": [
            (member["player"]["id"], member["ready"], member["wins"])
            for member in message["members"]
        ],
        "round": None if round_ is None else {
            **{name: round_[name] for name in ("number", "deal", "commitment", "starts",
                                               "deadline", "over", "seed")},
            "ranks": [(runner["player"]["id"], runner["rank"]) for runner in round_["runners"]],
        },
    }  # fmt: skip


def _expected(room: Room, deals: Deals) -> dict[str, Any]:
    """Return the same fields of a room's state."""
    opened, round_ = room.opened, room.round
    ranks = round_.ranks() if round_ is not None and round_.over else {}
    return {
        "game": opened.game,
        "variant": opened.variant,
        "seats": opened.seats,
        "limit": opened.limit // 1000,
        "host": room.host,
        "members": [
            (seat.player, seat.ready or seat.player == room.host, room.wins.get(seat.player, 0))
            for seat in room.seats
        ],
        "round": None if round_ is None else {
            "number": round_.number,
            "deal": round_.deal,
            "commitment": round_.commitment,
            "starts": round_.starts,
            "deadline": round_.deadline,
            "over": round_.over,
            "seed": deals.get(round_.deal, {}).get("seed") if round_.over else None,
            "ranks": [(player, ranks.get(player)) for player in round_.players],
        },
    }  # fmt: skip


def fold(
    code: str,
    entries: Sequence[Entry],
    deals: Deals,
    commands: Mapping[str, CommandIndex],
    complaints: list[Complaint],
) -> RoomHistory:
    """Decide a journal again, and complain of every entry that is not valid."""
    history = RoomHistory(code)
    state: Room | None = None
    last = 0
    for version, (entry, text) in enumerate(entries, 1):
        about = f"room {code} version {version}"

        def complain(kind: Kind, text: str, about: str = about) -> None:
            complaints.append(Complaint(kind, about, text))

        if entry != f"0-{version}":
            complain("gap", f"{entry} is in its place")
            break
        event = _DECODER.decode(text)
        try:
            decided = _decided(state, event)
        except Refusal as refusal:
            complain("invented", f"{event} is refused as {refusal.code}")
            decided = event
        if decided != event:
            complain("invented", f"{event} should be {decided}")
        if event.at < last:
            complain("mistimed", f"{last - event.at} ms before version {version - 1}")
        last = event.at
        _check_asked(state, event, commands, complain)
        if isinstance(event, RoundStarted):
            deal = deals.get(event.deal, {})
            if (deal.get("commitment"), deal.get("room")) != (event.commitment, code):
                complain("invented", f"{event}, and the deal is {deal}")
        if isinstance(event, RunnerFinished) and event.result.end == "time":
            assert state is not None
            if state.round is not None and event.at < state.round.deadline - SLACK:
                complain("mistimed", f"{event} before {state.round.deadline}")
        try:
            state = race.fold(state, event)
        except AssertionError as error:
            complain("invented", f"{event}: {error}")
            break
        history.states.append(state)
    return history


def _decided(room: Room | None, event: Event) -> Event | None:
    """Return the event that the command behind an entry leads to in the state before it.

    Raises:
        Refusal: the command is refused in that state.
    """
    if room is None or isinstance(event, RoomOpened):
        return event if room is None and isinstance(event, RoomOpened) else None
    match event:
        case SeatTaken(player=player, at=at):
            return race.take_seat(room, player, at)
        case SeatLeft(player=player, at=at):
            return race.leave(room, player, at)
        case ReadySet(player=player, ready=ready, at=at):
            return race.set_ready(room, player, ready, at)
        case RunnerFinished(player=player, result=result, at=at):
            running = room.running
            deal = running.deal if running is not None else None
            return (
                race.finish(room, deal, player, result.restored(), at) if deal is not None else None
            )
        case RoundStarted():
            begun = race.start(
                room, room.host, event.deal, event.commitment, event.at, rules=event.rules
            )
            assert isinstance(begun, RoundStarted)
            # The length of the countdown is a setting of the node.
            deadline = event.starts + room.opened.limit
            return replace_times(begun, event.starts, deadline)


def replace_times(event: RoundStarted, starts: int, deadline: int) -> RoundStarted:
    """Return the start of a round with other times."""
    return msgspec.structs.replace(event, starts=starts, deadline=deadline)


def _check_asked(
    room: Room | None, event: Event, commands: Mapping[str, CommandIndex], complain: Any
) -> None:
    """Check that an entry was requested, and not after its time."""
    match event:
        case RoomOpened(host=host, game=game):
            wanted: list[tuple[PlayerId, str, str]] = [(host, "room.create", game)]
        case SeatTaken(player=player):
            assert room is not None
            opened = room.opened
            wanted = [(player, "room.join", opened.code)]
            if player == opened.host:
                wanted.append((player, "room.create", opened.game))
        case SeatLeft(player=player):
            assert room is not None
            wanted = [(player, "room.leave", room.opened.code)]
        case ReadySet(player=player):
            assert room is not None
            wanted = [(player, "room.ready", room.opened.code)]
        case RoundStarted():
            assert room is not None
            wanted = [(room.host, "room.start", room.opened.code)]
        case RunnerFinished():
            return
    first = min(
        (commands[player].first(type_, about) if player in commands else NEVER_SENT)
        for player, type_, about in wanted
    )
    if first == NEVER_SENT:
        complain("invented", f"{event}: nobody asked for it")
    elif event.at < first - SLACK:
        complain("mistimed", f"{event}: {first - event.at} ms before it was asked for")
