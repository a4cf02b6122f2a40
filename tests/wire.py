"""Messages as tests write them, and their frames: dicts with a `type`, and names for numbers.

A test sends `{"type": "move", "id": 10, "attempt": "rw….k3…", "seq": 4, "move": "s>w"}`, and gets
`{"type": "moved", "re": 10, "attempt": "rw….k3…", "seq": 4, "move": "s>w", "redeals": 0, "changes":
[["s", 1, ""], ["w", 0, "9C"]], "result": {…}}`. Fields omitted from a frame, since its
receiver knows them, are filled in from earlier frames.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Union

import msgpack
import msgspec

from engine.catalog import ruleset
from engine.notation import seen_text
from engine.ruleset import Ruleset
from server import protocol
from server.base.wire import messages as wire_messages
from server.base.wire import session_messages
from server.base.wire.messages import NEWS
from server.dailies import messages as daily_messages
from server.lobby import messages as lobby_messages
from server.play import messages as play_messages
from server.play.core.attempt import UNDONE
from server.play.messages import FIRST_NUMBER, LAST_NUMBER
from server.results import messages as result_messages
from server.rooms import messages as room_messages
from server.rooms.messages import PROGRESS
from server.runs import deal_messages
from server.watching import messages as watch_messages

Message = dict[str, Any]

COMMANDS: dict[str, type[wire_messages.Command]] = {
    "hello": session_messages.Hello,
    "rename": session_messages.Rename,
    "ping": session_messages.Ping,
    "room.create": room_messages.CreateRoom,
    "room.join": room_messages.JoinRoom,
    "room.leave": room_messages.LeaveRoom,
    "room.ready": room_messages.SetReady,
    "room.start": room_messages.StartRound,
    "room.terms": room_messages.SetTerms,
    "room.propose": room_messages.ProposeTerms,
    "room.remove": room_messages.RemoveMember,
    "room.host": room_messages.HandOver,
    "room.lock": room_messages.SetLock,
    "room.public": room_messages.SetPublic,
    "room.list": lobby_messages.ListRooms,
    "room.quick": lobby_messages.QuickMatch,
    "attempt.open": play_messages.OpenAttempt,
    "resign": play_messages.Resign,
    "daily.list": daily_messages.ListDailies,
    "daily.open": daily_messages.OpenDaily,
    "leaderboard.watch": result_messages.WatchLeaderboard,
    "leaderboard.unwatch": result_messages.UnwatchLeaderboard,
    "deal.show": deal_messages.ShowDeal,
}
"""Commands by their short names in tests; a `move` has its own form."""

EVENTS: dict[type[wire_messages.Event], str] = {
    session_messages.Welcome: "welcome",
    session_messages.Done: "done",
    session_messages.Refused: "refused",
    session_messages.Pong: "pong",
    room_messages.RoomState: "room",
    room_messages.Removed: "removed",
    lobby_messages.Rooms: "rooms",
    play_messages.Attempt: "attempt",
    play_messages.Missed: "missed",
    play_messages.Ended: "ended",
    play_messages.Taken: "taken",
    play_messages.Released: "released",
    daily_messages.Dailies: "dailies",
    result_messages.Leaderboard: "leaderboard",
    result_messages.LeaderboardChange: "leaderboard",
    deal_messages.Deal: "deal",
    session_messages.Bye: "bye",
}
"""Short names of events in tests; `moved` and `progress` have their own forms."""

# All others use the names of their classes.
COMMANDS |= {kind.__name__: kind for kind in protocol.COMMANDS if kind not in COMMANDS.values()}
EVENTS |= {kind: kind.__name__ for kind in protocol.EVENTS if kind not in EVENTS}

NO_NUMBER = LAST_NUMBER
"""Sent for an attempt without a number in the session. No test opens this many."""

NO_PILE = 63
"""Sent for a pile that the game does not have."""

_EVENT: Any = Union[protocol.EVENTS]  # noqa: UP007 - the members are not known statically
_MOVE = re.compile(r"([a-z]\d*)>([a-z]\d*)(?:x(\d+))?")


@dataclass(frozen=True, slots=True)
class State:
    """The state of an attempt after an entry; `time` is `None` if unknown."""

    home: int
    time: int | None
    moves: int
    redeals: int
    undos: int = 0
    hints: int = 0
    peeked: bool = False


@dataclass(slots=True)
class Known:
    """Knowledge of an attempt: its rules, and its states by entry number."""

    rules: Ruleset
    states: dict[int, State] = field(default_factory=dict)


KNOWN: dict[str, Known] = {}
"""Attempts by id, shared by all sessions of this process: resuming sends only later entries."""


class Wire:
    """Packs one session's commands, and unpacks its events."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._attempts: dict[int, str] = {}
        self._unanswered_moves: defaultdict[tuple[int, int], deque[Message]] = defaultdict(deque)
        self._room: Message = {}
        self._leaderboard: Message = {}
        self._watched: Message = {}
        self._seen: dict[str, int] = {}

    def knows(self, attempt: str) -> bool:
        """Return whether the session has a number for an attempt."""
        return attempt in self._numbers

    def pack(self, command: Message) -> bytes:
        """Return a command's frame, without checks: tests also send malformed commands."""
        fields = dict(command)
        type_ = fields.pop("type")
        if type_ == "move":
            return self._pack_move(command)
        if type_ in {"resign", "Undo", "Hint"}:
            fields["number"] = self._numbers.get(fields.pop("attempt"), NO_NUMBER)
        struct = COMMANDS[type_]
        frame: bytes = msgpack.packb([struct.__struct_config__.tag, *_row(struct, fields)])
        return frame

    def _pack_move(self, command: Message) -> bytes:
        number = self._numbers.get(command["attempt"], NO_NUMBER)
        known = KNOWN.get(command["attempt"])
        played = _piles_of(known.rules, command["move"]) if known else (NO_PILE, NO_PILE)
        self._unanswered_moves[number, command["seq"]].append(command)
        frame: bytes = msgpack.packb([number, command["seq"], *played])
        return frame

    def unpack(self, frame: bytes) -> Message:
        """Return the event in a frame. Unsolicited events have no `re`.

        Raises:
            msgspec.ValidationError: the frame holds no event.
        """
        value = msgpack.unpackb(frame)
        if FIRST_NUMBER <= value[0] <= LAST_NUMBER:
            return self._moved(msgspec.convert(value, type=play_messages.Moved))
        if value[0] == PROGRESS:
            return self._progress(value[1:])
        command = self._answered_id(value[1])
        event = read_event(value)
        answer = {"type": EVENTS[type(event)]} | ({"re": command} if command else {})
        return answer | self._fields(event)

    def _answered_id(self, answers: int | Sequence[int]) -> int:
        """Return the id of the answered command, or `NEWS`."""
        if isinstance(answers, int):
            return answers
        number, seq = answers
        move = self._take_move(number, seq)
        return move["id"] if move else NEWS

    def _take_move(self, number: int, seq: int) -> Message | None:
        """Return the oldest unanswered move `(number, seq)`, if any: answers come in order."""
        waiting = self._unanswered_moves[number, seq]
        move = waiting.popleft() if waiting else None
        if not waiting:
            del self._unanswered_moves[number, seq]
        return move

    def _moved(self, event: play_messages.Moved) -> Message:
        attempt, move = self._attempts[event.number], self._take_move(event.number, event.seq)
        assert move is not None, f"{event} answers no move"
        known = KNOWN[attempt]
        message = {
            "type": "moved",
            "re": move["id"],
            "attempt": attempt,
            "seq": event.seq,
            "move": move["move"],
            "changes": _changes(known.rules, event.changes),
        }
        after = _state_after(known, event)
        if after is not None:
            known.states[event.seq] = after
        if after is None or after.time is None:
            # Earlier moves were answered, but without their outcome.
            return message | {"type": "moved ahead"}
        result = _result(known.rules, after, event.end)
        return message | {"redeals": after.redeals, "result": result}

    def _progress(self, counters: Sequence[int]) -> Message:
        round_ = self._room.get("round")
        if round_ is None:
            # The requested room has not been sent yet; it will include this.
            return {"type": "early progress", "counters": list(counters)}
        further = []
        for place, home, moves, headway in zip(*(counters[at::4] for at in range(4)), strict=True):
            runner = round_["runners"][place]
            old = runner["result"]
            left = old["left"] + old["home"] - home
            runner["result"] = old | {"home": home, "left": left, "moves": moves}
            runner["headway"] = headway
            player = runner["player"]["id"]
            further.append({"player": player, "result": runner["result"], "headway": headway})
        return {
            "type": "progress",
            "code": self._room["code"],
            "number": round_["number"],
            "runners": further,
        }

    def _fields(self, event: wire_messages.Event) -> Message:
        """Return an event's fields, and remember those that later events omit."""
        fields: Message = plain(event)
        match event:
            case room_messages.RoomState():
                # A separate copy: progress changes the remembered one, not the returned one.
                self._room = plain(event)
            case result_messages.Leaderboard():
                self._leaderboard = fields
            case result_messages.LeaderboardChange():
                changed = {name: value for name, value in fields.items() if value is not None}
                self._leaderboard = fields = self._leaderboard | changed
            case play_messages.Attempt():
                rules = ruleset(event.game, event.variant)
                known = KNOWN.setdefault(event.attempt, Known(rules))
                known.states[event.seq] = _state(event.result, event.redeals)
                self._set_number(event.number, event.attempt)
                texts = map(seen_text, event.piles)
                fields["piles"] = dict(zip(rules.pile_names, texts, strict=True))
                fields["hint"] = event.hint and _move_text(rules, *event.hint)
            case play_messages.Missed():
                self._set_number(event.number, event.attempt)
                fields["moves"] = _unpack_missed(KNOWN[event.attempt], event)
            case watch_messages.Watched():
                self._watched = fields
                self._seen = {board.player: board.seq for board in event.boards}
            case watch_messages.WatchedMove():
                fields |= self._whose(event)
            case (
                play_messages.Ended()
                | play_messages.Taken()
                | play_messages.Released()
                | play_messages.Hinted()
            ):
                attempt = self._attempts[event.number]
                if isinstance(event, play_messages.Hinted):
                    fields["move"] = _hint(KNOWN[attempt], event)
                del fields["number"]
                fields = {"attempt": attempt} | fields
        return fields

    def _whose(self, event: watch_messages.WatchedMove) -> Message:
        """Return the runner and room of a move, and the last entry the session has seen.

        Empty for a round that is no longer watched.
        """
        boards = self._watched.get("boards", [])
        if event.round != self._watched.get("round") or event.board >= len(boards):
            return {}
        player = boards[event.board]["player"]
        since = self._seen[player]
        self._seen[player] = max(since, event.seq)
        return {"code": self._watched["code"], "player": player, "since": since}

    def _set_number(self, number: int, attempt: str) -> None:
        """Set the session's number of an attempt from now on."""
        self._numbers.pop(self._attempts.get(number, ""), None)
        self._numbers[attempt] = number
        self._attempts[number] = attempt


def read_event(row: Sequence[Any]) -> wire_messages.Event:
    """Return the event in `[kind, re, *fields]`, without `re`.

    Raises:
        msgspec.ValidationError: the row holds no event.
    """
    event: wire_messages.Event = msgspec.convert([row[0], *row[2:]], type=_EVENT)
    return event


def _unpack_missed(known: Known, missed: play_messages.Missed) -> list[Any]:
    """Return missed moves as [move, changes, redeals], and remember the state after each."""
    found = []
    state: State | None = known.states.get(missed.since)
    for seq, move in enumerate(missed.moves, missed.since + 1):
        text = _move_text(known.rules, move.source, move.target, move.count)
        found.append([text, _changes(known.rules, move.changes), move.redeals])
        if state is None:
            continue
        after = replace(_apply(known.rules, state, move.changes), redeals=move.redeals)
        if after.home == missed.result.home:
            after = replace(after, time=missed.result.time)
        elif after.home == state.home:
            after = replace(after, time=state.time)
        old = known.states.get(seq)
        if old is not None and _counters(old) == _counters(after):
            # The known state already has the requested help, and may have a time.
            after = replace(old, time=after.time if old.time is None else old.time)
        known.states[seq] = state = after
    if state is not None:
        known.states[missed.seq] = _state(missed.result, state.redeals)
    return found


def _counters(state: State) -> tuple[int, int, int]:
    """Return the counters that moves' changes affect."""
    return state.home, state.moves, state.redeals


def _hint(known: Known, event: play_messages.Hinted) -> str | None:
    """Return a hint's text, and remember the state after its entry."""
    if event.move is None:
        # No hint is known and no entry was made: the last entry is another one.
        return None
    before = known.states.get(event.seq - 1)
    if before is not None:
        after, old = replace(before, hints=event.hints), known.states.get(event.seq)
        if old is None or _counters(old) != _counters(after):
            # The store may have lost an entry with this number.
            known.states[event.seq] = after
    return _move_text(known.rules, *event.move)


def _state_after(known: Known, event: play_messages.Moved) -> State | None:
    """Return the state after a move; `None` if the state before it was never sent."""
    before = known.states.get(event.seq - 1)
    if before is None:
        return known.states.get(event.seq)
    after = _apply(known.rules, before, event.changes)
    if event.time is not None:
        after = replace(after, time=event.time)
    elif after.home == before.home:
        after = replace(after, time=before.time)
    return after if event.redeals is None else replace(after, redeals=event.redeals)


def _apply(rules: Ruleset, before: State, changes: Sequence[Sequence[int]]) -> State:
    """Return the state after a move; its time is not known yet."""
    gained = sum(len(put) - take for pile, take, *put in changes if pile in rules.foundations)
    return replace(before, home=before.home + gained, time=None, moves=before.moves + 1)


def _state(result: wire_messages.Result, redeals: int) -> State:
    marks = result.undos, result.hints, result.peeked
    return State(result.home, result.time, result.moves, redeals, *marks)


def _result(rules: Ruleset, state: State, end: str | None) -> Message:
    return {
        "home": state.home,
        "left": rules.total - state.home,
        "time": state.time,
        "moves": state.moves,
        "end": end,
        "undos": state.undos,
        "hints": state.hints,
        "peeked": state.peeked,
    }


def _changes(rules: Ruleset, changes: Sequence[Sequence[int]]) -> list[list[Any]]:
    return [[rules.pile_names[pile], take, seen_text(bytes(put))] for pile, take, *put in changes]


def _move_text(rules: Ruleset, source: int, target: int, count: int) -> str:
    if count == 0:
        return UNDONE
    names = (*rules.pile_names, "t")
    return f"{names[source]}>{names[target]}{f'x{count}' if count > 1 else ''}"


def _piles_of(rules: Ruleset, text: str) -> list[int]:
    """Parse a move as [source, target] or [source, target, count]; unknown piles are `NO_PILE`."""
    found = _MOVE.fullmatch(text)
    if found is None:
        return [NO_PILE, NO_PILE]
    source, target, count = found.groups()
    numbers: Mapping[str, int] = {"t": len(rules.pile_names)} | dict(rules.pile_numbers)
    piles = [numbers.get(source, NO_PILE), numbers.get(target, NO_PILE)]
    return [*piles, int(count)] if count else piles


def _row(struct: type[msgspec.Struct], fields: Message) -> list[Any]:
    """Return fields in the struct's order up to the last given one, then unknown fields."""
    rest = dict(fields)
    names = struct.__struct_fields__
    given = [name for name in names if name in rest]
    row = [rest.pop(name, None) for name in names[: names.index(given[-1]) + 1]] if given else []
    if struct is play_messages.OpenAttempt and isinstance(fields.get("have"), dict):
        row[-1] = _row(play_messages.Have, fields["have"])
    return [*row, *rest.values()]


def plain(value: Any) -> Any:
    """Convert a struct and all structs in it to dicts."""
    if isinstance(value, msgspec.Struct):
        return {name: plain(getattr(value, name)) for name in value.__struct_fields__}
    return [plain(each) for each in value] if isinstance(value, list) else value
