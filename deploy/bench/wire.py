"""What the load generator knows of the protocol: the one module to change when the wire does.

Payloads are what WebSocket frames carry. `PROTOCOL.md` beside the gateway describes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgpack

from engine.notation import move_text
from engine.ruleset import Move, Ruleset

VERSION = 1

OTHER, ANSWER, PROGRESSED, REFUSAL, SNAPSHOT = range(5)
"""What a payload from the server is to a racer who waits for the answer to a move."""

Handle = str
"""How a move names its attempt."""


@dataclass(frozen=True, slots=True)
class Event:
    """A message of the server, as far as setting races up needs it.

    Attributes:
        kind: one of the kinds above.
        re: the command that it answers, or `None`.
        refusal: the code of a refusal.
        attempt: the id of a snapshot's attempt.
        handle: how moves name it.
        seq: the last entry of a snapshot's journal.
        room: the code of the room that it tells of, or in which the snapshot's attempt is.
        running: whether the room that it tells of has a round that goes on.
        token: what a welcome gives to come back with.
    """

    kind: int
    re: int | None
    refusal: str | None = None
    attempt: str | None = None
    handle: Handle | None = None
    seq: int = 0
    room: str | None = None
    running: bool = False
    token: str | None = None


_KINDS = {
    b"\xa5moved": ANSWER,
    b"\xa8progr": PROGRESSED,
    b"\xa7refus": REFUSAL,
    b"\xa7attem": SNAPSHOT,
}
_TYPE_AT = 6
_TYPE_END = _TYPE_AT + 6


def kind(data: bytes, at: int) -> int:
    """Return what the payload that begins at `at` is, without reading all of it."""
    return _KINDS.get(data[at + _TYPE_AT : at + _TYPE_END], OTHER)


def read(payload: bytes) -> Event:
    """Return what a payload says."""
    fields: dict[str, Any] = msgpack.unpackb(payload)
    type_ = fields["type"]
    round_ = fields.get("round")
    return Event(
        kind(payload, 0),
        fields.get("re"),
        fields["code"] if type_ in {"refused", "bye"} else None,
        fields["attempt"] if type_ == "attempt" else None,
        fields["attempt"] if type_ == "attempt" else None,
        fields.get("seq", 0),
        fields["code"] if type_ == "room" else fields.get("room"),
        round_ is not None and not round_["over"],
        fields.get("token"),
    )


def answers_move(payload: bytes) -> bool:
    """Return whether a snapshot is an answer, and not the news that a round has begun."""
    return "re" in msgpack.unpackb(payload)


def hello(id_: int, token: str | None = None) -> bytes:
    """Return the command that opens a session, as a new guest if without a token."""
    return _pack(type="hello", id=id_, version=VERSION, token=token)


def create_room(id_: int, game: str, seats: int, limit: int, key: str) -> bytes:
    """Return the command that opens a room; `limit` is seconds a round."""
    return _pack(type="room.create", id=id_, game=game, seats=seats, limit=limit, key=key)


def join_room(id_: int, code: str) -> bytes:
    """Return the command that takes a seat, or comes back to it."""
    return _pack(type="room.join", id=id_, code=code)


def ready(id_: int, code: str, *, is_ready: bool = True) -> bytes:
    """Return the command that says whether the player is in the next round."""
    return _pack(type="room.ready", id=id_, code=code, ready=is_ready)


def start(id_: int, code: str) -> bytes:
    """Return the command that starts a round."""
    return _pack(type="room.start", id=id_, code=code)


def open_attempt(id_: int, attempt: str, have: tuple[int, int] | None = None) -> bytes:
    """Return the command that asks for an attempt, or what follows (seq, digest) of it."""
    known = {"seq": have[0], "digest": have[1]} if have else None
    return _pack(type="attempt.open", id=id_, attempt=attempt, have=known)


def list_dailies(id_: int) -> bytes:
    """Return the command that asks for the day's deals."""
    return _pack(type="daily.list", id=id_)


def open_daily(id_: int, game: str) -> bytes:
    """Return the command that starts the day's attempt at a game."""
    return _pack(type="daily.open", id=id_, game=game)


def resign(id_: int, handle: Handle, seq: int) -> bytes:
    """Return the command that ends an attempt as entry `seq`."""
    return _pack(type="resign", id=id_, attempt=handle, seq=seq)


def ping(id_: int) -> bytes:
    """Return the command that asks for the time."""
    return _pack(type="ping", id=id_)


def watch_leaderboard(id_: int, game: str) -> bytes:
    """Return the command that asks for today's leaderboard and every change of it."""
    return _pack(type="leaderboard.watch", id=id_, game=game, day=None)


def moves(ruleset: Ruleset, handle: Handle, seq: int, played: list[Move]) -> list[bytes]:
    """Return the commands that play moves, the first of them as entry `seq`."""
    return [
        _pack(type="move", id=number, attempt=handle, seq=number, move=move_text(ruleset, move))
        for number, move in enumerate(played, seq)
    ]


def _pack(**fields: object) -> bytes:
    packed: bytes = msgpack.packb({name: each for name, each in fields.items() if each is not None})
    return packed
