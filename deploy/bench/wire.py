"""The protocol, as far as the load generator needs it. No other module here knows message formats.

Payloads are those of WebSocket frames; `server/PROTOCOL.md` describes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgpack

from engine.ruleset import ROW, Move, Ruleset
from server.base.wire.messages import NEWS
from server.base.wire.session_messages import VERSION
from server.play.messages import FIRST_NUMBER
from server.rooms.messages import PROGRESS
from server.watching.messages import WatchedMove

OTHER, ANSWER, PROGRESSED, REFUSAL, SNAPSHOT, WATCHED_MOVE = range(6)
"""The kinds of payloads from the server, as a player who waits for an answer distinguishes them."""

Handle = int
"""The number by which moves name their attempt in this session."""

_REFUSED, _ROOM, _ATTEMPT, _WATCH_KEY = 3, 5, 7, 25
_WATCHED_MOVE = WatchedMove.__struct_config__.tag
_KINDS = bytes(
    ANSWER
    if byte >= FIRST_NUMBER
    else {
        PROGRESS: PROGRESSED,
        _REFUSED: REFUSAL,
        _ATTEMPT: SNAPSHOT,
        _WATCHED_MOVE: WATCHED_MOVE,
    }.get(byte, OTHER)
    for byte in range(256)
)
"""Kinds by the second byte of a payload, which is an event's type or an attempt's number."""

_LONG_ARRAY = 0xDC
_LONG_HEADER = 3


@dataclass(frozen=True, slots=True)
class Event:
    """An event, as far as starting a round needs it.

    Attributes:
        kind: one of the kinds above.
        re: the id of the command that it answers, or `None`.
        refusal: the code of a refusal.
        attempt: the id of a snapshot's attempt.
        handle: the number of that attempt in this session.
        seq: the last entry of that attempt's journal.
        room: the code of a room, or of the room of a snapshot's attempt.
        key: a room's watch key.
    """

    kind: int
    re: int | None
    refusal: str | None = None
    attempt: str | None = None
    handle: Handle | None = None
    seq: int = 0
    room: str | None = None
    key: str | None = None


def kind(data: bytes, at: int) -> int:
    """Return the kind of the payload that begins at `at`, without decoding it."""
    return _KINDS[data[at + (_LONG_HEADER if data[at] == _LONG_ARRAY else 1)]]


def read(payload: bytes) -> Event:
    """Decode a payload."""
    what = kind(payload, 0)
    if what in {ANSWER, PROGRESSED}:
        return Event(what, None)
    type_, answers, *fields = msgpack.unpackb(payload)
    re = answers if type(answers) is int and answers else None
    if type_ == _REFUSED:
        return Event(what, re, refusal=fields[0])
    if type_ == _ROOM:
        return Event(what, re, room=fields[0])
    if type_ == _ATTEMPT:
        number, attempt, room, seq = fields[0], fields[1], fields[6], fields[8]
        return Event(what, re, attempt=attempt, handle=number, seq=seq, room=room)
    if type_ == _WATCH_KEY:
        return Event(what, re, key=fields[1])
    return Event(what, re)


def watched_seq(payload: bytes) -> int:
    """Return the last entry that a watcher sees by a `WATCHED_MOVE`."""
    seq: int = msgpack.unpackb(payload)[4]
    return seq


def answers_move(payload: bytes) -> bool:
    """Return whether a snapshot answers a command, and does not announce a round."""
    answered: Any = msgpack.unpackb(payload)[1]
    return bool(answered != NEWS)


def hello(id_: int) -> bytes:
    """Return the `Hello` of a new guest."""
    return _pack(1, id_, VERSION)


def create_room(id_: int, game: str, seats: int, limit: int, key: str) -> bytes:
    """Return a `CreateRoom`; `limit` is the time limit of a round in seconds."""
    return _pack(3, id_, game, seats, limit, key)


def join_room(id_: int, code: str) -> bytes:
    """Return a `JoinRoom`."""
    return _pack(4, id_, code)


def ready(id_: int, code: str, *, is_ready: bool = True) -> bytes:
    """Return a `SetReady`."""
    return _pack(6, id_, code, is_ready)


def start(id_: int, code: str) -> bytes:
    """Return a `StartRound`."""
    return _pack(7, id_, code)


def open_attempt(id_: int, attempt: str, have: tuple[int, int]) -> bytes:
    """Return an `OpenAttempt`; `have` is the client's (seq, digest) of the attempt."""
    return _pack(8, id_, attempt, have)


def resign(id_: int, handle: Handle, seq: int) -> bytes:
    """Return a `Resign` as entry `seq` of an attempt."""
    return _pack(9, id_, handle, seq)


def list_dailies(id_: int) -> bytes:
    """Return a `ListDailies`."""
    return _pack(10, id_)


def open_daily(id_: int, game: str) -> bytes:
    """Return an `OpenDaily` of a game."""
    return _pack(11, id_, game)


def watch_leaderboard(id_: int, game: str) -> bytes:
    """Return a `WatchLeaderboard` of a game's current day."""
    return _pack(12, id_, game)


def watch_round(id_: int, code: str, key: str) -> bytes:
    """Return a `WatchRound` with a watch key."""
    return _pack(25, id_, code, key)


def get_watch_key(id_: int, code: str) -> bytes:
    """Return a `GetWatchKey`."""
    return _pack(31, id_, code)


def ping(id_: int) -> bytes:
    """Return a `Ping`."""
    return _pack(15, id_)


def moves(ruleset: Ruleset, handle: Handle, seq: int, played: list[Move]) -> list[bytes]:
    """Return the `PlayMove` commands of consecutive moves, the first of them as entry `seq`."""
    row = len(ruleset.pile_names)
    found = []
    for number, move in enumerate(played, seq):
        target = row if move.target == ROW else move.target
        count = (move.count,) if move.count > 1 else ()
        found.append(_pack(handle, number, move.source, target, *count))
    return found


def _pack(*fields: Any) -> bytes:
    packed: bytes = msgpack.packb(fields)
    return packed
