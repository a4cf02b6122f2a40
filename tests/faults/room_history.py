"""Checks of a room's journal: decide it again, and compare it with its members' ledgers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from server.base.core import keys
from server.base.core.ids import PACE_BOT, DealId, PlayerId
from server.base.core.refusal import Refusal
from server.base.journals.reader import rules_of
from server.base.nodes import registration
from server.play.core.result import Result
from server.rooms.core import absence, quick_match
from server.rooms.core import commands as race_commands
from server.rooms.core import room as race
from server.rooms.core.events import (
    Event,
    HostChanged,
    LockSet,
    PublicSet,
    ReadySet,
    RoomOpened,
    RoundStarted,
    RunnerFinished,
    SeatLeft,
    SeatTaken,
    Terms,
    TermsProposed,
    TermsSet,
)
from server.rooms.core.room import Checkpoint, Entry, Room, Round
from server.watching.core import sight
from tests.faults.commands import NEVER_SENT, CommandIndex
from tests.faults.complaint import SLACK, Complaint, Kind
from tests.faults.ledger import Line, Message
from tests.faults.stored import Entry as StoredEntry

LAST = (999, 0, 0)
"""Ranks a run without a card home last."""

_DECODER: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)

Deals = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Nodes:
    """Settings shared by the nodes of a run.

    Attributes:
        host_absence: milliseconds before an absent host is replaced.
        seat_absence: milliseconds before an absent member loses the seat.
        quick_absence: the same in a waiting quick match.
        bot_after: milliseconds before the pace bot joins a lone waiting player.
        watch_delay: milliseconds of delay for spectators.
        presence_life: milliseconds for which a player may count as present after the node's death.
    """

    host_absence: int = field(default_factory=lambda: absence.HOST_ABSENCE_MS)
    seat_absence: int = field(default_factory=lambda: absence.SEAT_ABSENCE_MS)
    quick_absence: int = field(default_factory=lambda: absence.QUICK_ABSENCE_MS)
    bot_after: int = field(default_factory=lambda: quick_match.BOT_AFTER_MS)
    presence_life: int = field(
        default_factory=lambda: round(1000 * (keys.NODE_LIFE_S + registration.RENEW_EVERY))
    )
    watch_delay: int = field(default_factory=lambda: sight.WATCH_DELAY_MS)


@dataclass(slots=True)
class RoomHistory:
    """A room, folded from its journal.

    Attributes:
        states: `states[n - 1]` is the state after entry n.
        followed: each unrequested change of the host.
        here: the present members in each room event, with its time of arrival.
    """

    code: str
    nodes: Nodes
    states: list[Room] = field(default_factory=list)
    seated: dict[PlayerId, int] = field(default_factory=dict)
    ended: dict[int, int] = field(default_factory=dict)
    followed: list[HostChanged] = field(default_factory=list)
    here: list[tuple[int, frozenset[str]]] = field(default_factory=list)

    @property
    def rounds(self) -> list[Round]:
        """The last state of every round."""
        last: dict[int, Round] = {}
        for state in self.states:
            if state.round is not None:
                last[state.round.number] = state.round
        return list(last.values())

    def check_received(
        self, viewer: str, line: Line, deals: Deals, complaints: list[Complaint]
    ) -> None:
        """Compare a received room event with the journal."""
        message, version = line.message, line.message["version"]
        present = (m["player"]["id"] for m in message["members"] if m["here"])
        self.here.append((line.at, frozenset(present)))
        about = f"room {self.code} version {version}"
        if not 1 <= version <= len(self.states):
            complaints.append(Complaint("lost", about, f"it was received at {line.at}"))
            return
        state = self.states[version - 1]
        found, wanted = _reported(message), _expected(state, deals, viewer)
        if found != wanted:
            wrong = {name: (found[name], wanted[name]) for name in wanted
                     if found[name] != wanted[name]}  # fmt: skip
            complaints.append(Complaint("misreported", about, f"received and expected: {wrong}"))
        round_ = state.round
        for runner in (message["round"] or {"runners": []})["runners"] if round_ else []:
            assert round_ is not None
            result = round_.results.get(runner["player"]["id"])
            if result is not None and result != Result(**runner["result"]):
                complaints.append(Complaint("misreported", about, f"{runner}, {result} is stored"))

    def check_followers(
        self, commands: Mapping[str, CommandIndex], complaints: list[Complaint]
    ) -> None:
        """Complain about hosts who were replaced by an absent member.

        A member was surely absent who sent nothing, and whom all nodes showed as absent for longer
        than the presence of a dead node's players lasts.
        """
        shown = sorted(self.here, key=lambda each: each[0])
        for event in self.followed:
            since = event.at - self.nodes.presence_life - SLACK
            first = bisect_right(shown, since, key=lambda each: each[0]) - 1
            last = bisect_right(shown, event.at, key=lambda each: each[0])
            known = [here for _, here in shown[max(0, first) : last]] if first >= 0 else []
            away = bool(known) and not any(event.player in here for here in known)
            follower = commands.get(event.player)
            if away and (follower is None or follower.silent(since, event.at + SLACK)):
                about = f"room {self.code}"
                complaints.append(Complaint("invented", about, f"{event}: that player was away"))


def _reported(message: Message) -> dict[str, Any]:
    """Return the fields of a room event that follow from the journal."""
    names = ("game", "variant", "seats", "limit", "host", "locked", "public", "help", "quick")
    round_ = message["round"]
    return {name: message[name] for name in names} | {
        "bot comes": message["bot_at"] is not None,
        "members": [
            (each["player"]["id"], *(each[name] for name in ("ready", "out", "wins", "points")))
            for each in message["members"]
        ],
        "proposals": {
            each["player"]: (each["game"], each["variant"], each["limit"], each["help"])
            for each in message["proposals"]
        },
        "scores": [
            (
                score["number"],
                score["game"],
                {each["player"]: (each["rank"], each["points"]) for each in score["places"]},
            )
            for score in message["scores"]
        ],
        "former": [(each["player"]["id"], each["points"]) for each in message["former"]],
        "round": None if round_ is None else {
            **{name: round_[name] for name in ("number", "deal", "commitment", "starts",
                                               "deadline", "over", "seed", "public")},
            "terms": (round_["game"], round_["variant"], round_["limit"], round_["help"]),
            "ranks": [(runner["player"]["id"], runner["rank"]) for runner in round_["runners"]],
        },
    }  # fmt: skip


def _expected(room: Room, deals: Deals, viewer: str) -> dict[str, Any]:
    """Return the same fields of a room's state, for a recipient."""
    round_ = room.round
    # Other viewers must request the seed.
    is_listed = round_ is not None and round_.over and viewer in round_.players
    ranks = round_.ranks() if round_ is not None and round_.over else {}
    game, variant, limit, allowed = _seconds(room.terms)
    return {
        "game": game,
        "variant": variant,
        "seats": room.opened.seats,
        "limit": limit,
        "help": allowed,
        "host": room.host,
        "locked": room.locked,
        "public": room.public,
        "quick": room.opened.quick,
        "bot comes": quick_match.bot_at(room) is not None,
        "members": [
            (of, seat.ready, seat.out, room.wins.get(of, 0), room.points.get(of, 0))
            for seat in room.seats
            for of in [seat.player]
        ],
        "proposals": {player: _seconds(terms) for player, terms in room.proposals.items()},
        "scores": [
            (
                score.number,
                score.game,
                {player: (rank, score.points[player]) for player, rank in score.ranks.items()},
            )
            for score in room.scores
        ],
        "former": [(player, room.points.get(player, 0)) for player in room.former],
        "round": None if round_ is None else {
            "number": round_.number,
            "deal": round_.deal,
            "commitment": round_.commitment,
            "starts": round_.starts,
            "deadline": round_.deadline,
            "over": round_.over,
            "seed": deals.get(round_.deal, {}).get("seed") if is_listed else None,
            "terms": _seconds(round_.terms),
            "public": round_.public,
            "ranks": [(player, ranks.get(player)) for player in round_.players],
        },
    }  # fmt: skip


def _seconds(terms: Terms) -> tuple[str, str, int, str]:
    """Return terms in wire format."""
    return terms.game, terms.variant, terms.limit // 1000, terms.help


def fold(
    history: RoomHistory,
    entries: Sequence[StoredEntry],
    deals: Deals,
    commands: Mapping[str, CommandIndex],
    complaints: list[Complaint],
) -> RoomHistory:
    """Decide a journal again from its start, and complain about each invalid entry."""
    state: Room | None = None
    last = 0
    for version, (entry, text) in enumerate(entries, 1):
        about = f"room {history.code} version {version}"

        def complain(kind: Kind, text: str, about: str = about) -> None:
            complaints.append(Complaint(kind, about, text))

        if entry != f"0-{version}":
            complain("gap", f"{entry} is in its place")
            break
        event = _DECODER.decode(text)
        if isinstance(event, Checkpoint):
            # Any appending node may write one; it repeats the current state.
            if state is None or event != Checkpoint(state, state.at):
                complain("invented", f"{event}, but the room is {state}")
                break
            state = race.fold(state, event)
            history.states.append(state)
            continue
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
        _check_asked(history, event, commands, complain)
        if state is not None:
            _check_round(history, state, event, deals, complain)
        try:
            state = race.fold(state, event)
        except AssertionError as error:
            complain("invented", f"{event}: {error}")
            break
        history.states.append(state)
        _check_state(history, state, event, complain)
    return history


def _check_round(
    history: RoomHistory, room: Room, event: Event, deals: Deals, complain: Any
) -> None:
    if isinstance(event, RoundStarted):
        deal = deals.get(event.deal, {})
        if (deal.get("commitment"), deal.get("room")) != (event.commitment, history.code):
            complain("invented", f"{event}, but the deal is {deal}")
        if event.home != _home(room, event):
            complain("invented", f"{event}: a different number of cards is home at the start")
    if (
        isinstance(event, RunnerFinished)
        and event.result.end == "time"
        and room.round is not None
        and event.at < room.round.deadline - SLACK
    ):
        complain("mistimed", f"{event} before {room.round.deadline}")


def _check_state(history: RoomHistory, room: Room, event: Event, complain: Any) -> None:
    """Check the state after an entry, and remember facts for later entries."""
    if isinstance(event, SeatTaken):
        history.seated[event.player] = event.at
    if isinstance(event, RunnerFinished) and not room.running:
        assert room.round is not None
        history.ended[room.round.number] = event.at
        _check_score(room, complain)
    if room.opened.quick and room.host is not None:
        complain("invented", f"{event}: {room.host} is the host of a quick match")
    if room.seats and not room.opened.quick and not room.seat_of(room.host):
        complain("invented", f"{event}: the host {room.host} has no seat")


def _home(room: Room, event: RoundStarted) -> int:
    return rules_of(room.terms.game, room.terms.variant, event.rules).home_at_start


def _check_score(room: Room, complain: Any) -> None:
    """Recompute the places of a finished round by pairwise comparison of its results."""
    round_ = room.round
    assert round_ is not None
    if len(round_.players) == 1:
        return
    best = {
        player: (result.left, result.time, result.moves) if result.home > round_.home else LAST
        for player, result in round_.results.items()
    }
    points = {
        player: sum(mine < theirs for theirs in best.values()) for player, mine in best.items()
    }
    if not room.scores or room.scores[-1].points != points:
        complain("misranked", f"{room.scores[-1:]}, not {points}")
    won = {player for player in points if best[player] == min(best.values())}
    if {player for player in won if best[player] != LAST} != set(round_.winners()):
        complain("misranked", f"{round_.winners()} have won, not {won}")


def _decided(room: Room | None, event: Event) -> Event | None:
    """Return the event of an entry's command in the state before it."""
    if room is None or isinstance(event, RoomOpened):
        return event if room is None and isinstance(event, RoomOpened) else None
    decided: Event | None
    match event:
        case SeatTaken(player=player) if player == PACE_BOT:
            decided = event if quick_match.bot_at(room) is not None else None
        case SeatTaken(player=player, at=at):
            decided = race_commands.take_seat(room, player, at)
        case SeatLeft(player=player, at=at, by=None):
            decided = race_commands.leave(room, player, at)
        case ReadySet(player=player, ready=ready, at=at):
            decided = race_commands.set_ready(room, player, ready, at)
        case TermsProposed(player=player, terms=terms, at=at):
            decided = race_commands.propose_terms(room, player, terms, at)
        case RunnerFinished(player=player, result=result, at=at):
            deal = room.running.deal if room.running is not None else DealId("")
            decided = race_commands.finish(room, deal, player, result, at)
        case RoundStarted():
            decided = _decided_start(room, event)
        case _:
            decided = _decided_by_host(room, event)
    return decided


def _decided_by_host(room: Room, event: Event) -> Event | None:
    """Return the event of a command that only the host may give."""
    # A quick match has no host, so the command is refused to any member.
    host = room.host if room.host is not None else room.opened.host
    match event:
        case SeatLeft(player=player, at=at, by=by) if by is not None:
            decided = race_commands.remove(room, by, player, at)
        case HostChanged(player=player, at=at):
            decided = race_commands.hand_over(room, host, player, at)
        case LockSet(locked=locked, at=at):
            decided = race_commands.set_lock(room, host, locked, at)
        case PublicSet(public=public, at=at):
            decided = race_commands.set_public(room, host, public, at)
        case TermsSet(terms=terms, at=at):
            decided = race_commands.set_terms(room, host, terms, at)
        case _:
            decided = None
    return decided


def _decided_start(room: Room, event: RoundStarted) -> Event:
    """Return the start of a round by the member named as its starter.

    The members' presence is unknown, but the runners must be seated and have agreed. An entry
    without a starter is the start of a quick match.
    """
    begun = race_commands.start(
        room,
        event.by,
        event.deal,
        event.commitment,
        event.at,
        present=event.players,
        anyway=True,
        rules=event.rules,
        home=event.home,
    )
    assert isinstance(begun, RoundStarted)
    # The length of the countdown is a setting of the node.
    deadline = event.starts + room.terms.limit
    return msgspec.structs.replace(begun, starts=event.starts, deadline=deadline, by=event.by)


def _check_asked(
    history: RoomHistory, event: Event, commands: Mapping[str, CommandIndex], complain: Any
) -> None:
    """Check that an entry was requested earlier, or follows from an absence."""
    if isinstance(event, RunnerFinished):
        return
    room = history.states[-1] if history.states else None
    if room is not None and (itself := _soonest_by_itself(history, room, event)) is not None:
        if event.at < itself - SLACK:
            complain("mistimed", f"{event}: {itself - event.at} ms too early")
        return
    wanted = _commands_for(room, event)
    first = min(
        (
            commands[player].first(type_, about) if player in commands else NEVER_SENT
            for player, type_, about in wanted
        ),
        default=NEVER_SENT,
    )
    if event.at >= first - SLACK:
        return
    if room is not None and (soonest := _soonest_by_absence(history, room, event)) is not None:
        if isinstance(event, HostChanged):
            history.followed.append(event)
        if event.at < soonest - SLACK:
            complain("mistimed", f"{event}: absence too short by {soonest - event.at} ms")
    elif first == NEVER_SENT:
        complain("invented", f"{event}: no player requested it")
    else:
        complain("mistimed", f"{event}: {first - event.at} ms before the request")


def _soonest_by_itself(history: RoomHistory, room: Room, event: Event) -> int | None:
    """Return the earliest time for an unrequested entry of a quick match, or `None`."""
    since = max((seat.since for seat in room.seats), default=0)
    if isinstance(event, SeatTaken) and event.player == PACE_BOT:
        return since + history.nodes.bot_after
    if isinstance(event, RoundStarted) and quick_match.starts(room, event.players):
        return since
    return None


def _soonest_by_absence(history: RoomHistory, room: Room, event: Event) -> int | None:
    """Return the earliest time of an entry caused by an absence, or `None`.

    An absence starts no earlier than the seat was taken, and no seat is lost during a round.
    """
    nodes = history.nodes
    if isinstance(event, HostChanged) and room.host is not None:
        return history.seated[room.host] + nodes.host_absence
    if isinstance(event, SeatLeft) and event.by is None and not room.running:
        is_short = quick_match.waits(room) or not room.has_acted(event.player)
        longest = nodes.quick_absence if is_short else nodes.seat_absence
        over = max(history.ended.values(), default=0)
        return max(history.seated.get(event.player, 0), over) + longest
    return None


def _commands_for(room: Room | None, event: Event) -> list[tuple[PlayerId, str, str]]:
    """Return the commands that may have led to an entry: player, type, and room or game."""
    if isinstance(event, RoomOpened):
        return [(event.host, "room.quick" if event.quick else "room.create", event.game)]
    if room is None:
        return []
    opened, host = room.opened, room.host or room.opened.host
    code = opened.code
    asked: list[tuple[PlayerId, str, str]] = []
    match event:
        case SeatTaken(player=player):
            asked = [(player, "room.join", code)]
            if opened.quick or player == opened.host:
                opening = "room.quick" if opened.quick else "room.create"
                asked.append((player, opening, opened.game))
        case SeatLeft(player=player, by=by):
            asked = [(player, "room.leave", code) if by is None else (by, "room.remove", code)]
        case ReadySet(player=player):
            asked = [(player, "room.ready", code)]
        case TermsProposed(player=player):
            asked = [(player, "room.propose", code)]
        case RoundStarted():
            asked = [(event.by, "room.start", code)] if event.by is not None else []
        case HostChanged():
            asked = [(host, "room.host", code)]
        case LockSet():
            asked = [(host, "room.lock", code)]
        case PublicSet():
            asked = [(host, "room.public", code)]
        case TermsSet():
            asked = [(host, "room.terms", code)]
    return asked
