"""Client-side packing and reading of messages, and the kinds of payloads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgpack
import msgspec

from engine.ruleset import Move, Ruleset
from server import protocol
from server.base.wire import session_messages
from server.base.wire.messages import kind_of
from server.base.wire.short_forms import FIRST_NUMBER, LAST_NUMBER, PROGRESS

OTHER, ANSWER, PROGRESSED, REFUSAL = range(4)
"""The kinds of payloads that a waiting player distinguishes."""

_EVENTS: dict[int, Any] = {kind_of(event): event for event in protocol.EVENTS}
_KIND_OF_EVENT = {
    PROGRESS: PROGRESSED,
    kind_of(session_messages.Refused): REFUSAL,
}
_KINDS = bytes(
    ANSWER if FIRST_NUMBER <= byte <= LAST_NUMBER else _KIND_OF_EVENT.get(byte, OTHER)
    for byte in range(256)
)

_LONG_ARRAY = 0xDC
_LONG_HEADER = 3


def kind(data: bytes, at: int) -> int:
    """Return the kind of the payload at `at`, without decoding it."""
    return _KINDS[data[at + (_LONG_HEADER if data[at] == _LONG_ARRAY else 1)]]


def read(payload: bytes) -> tuple[Any, Any]:
    """Return the answered id and the event of a payload with a kind."""
    kind_, re, *fields = msgpack.unpackb(payload)
    return re, msgspec.convert([kind_, *fields], _EVENTS[kind_])


def pack(command: msgspec.Struct) -> bytes:
    """Return the payload of a command."""
    packed: bytes = msgpack.packb(msgspec.to_builtins(command))
    return packed


def moves(ruleset: Ruleset, number: int, seq: int, played: Sequence[Move]) -> list[bytes]:
    """Return the payloads of an attempt's consecutive moves, from entry `seq` on."""
    found = []
    for entry, move in enumerate(played, seq):
        source, target, count = ruleset.numbers_of(move)
        # Omit default values, as other clients do.
        found.append(msgpack.packb([number, entry, source, target, *[count] * (count > 1)]))
    return found
