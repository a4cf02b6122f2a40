"""Decoding of frames into commands, and encoding of events into frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Generic, TypeVar

import msgpack
import msgspec.msgpack

from server.base.wire import lenient
from server.base.wire.lenient import MAX_LIST_LENGTH, BadMessageError
from server.base.wire.messages import NEWS, Command, End, Event, MoveMessage, Re, kind_of
from server.base.wire.short_forms import FIRST_NUMBER, LAST_NUMBER, PROGRESS

M = TypeVar("M", bound=MoveMessage)

MAX_FRAME_SIZE = 4_096
"""Maximum bytes of a client's frame."""

_MAX_TEXT_LENGTH = MAX_FRAME_SIZE
"""A text may fill a frame, as a passkey does. Long texts cost only their bytes; the types of the
fields limit their lengths."""
_SHORT = 16
"""Frames of up to this many bytes cannot hold anything large, and are decoded without limits."""


class OldProtocolError(Exception):
    """A frame of version 1 of the protocol, whose messages were maps."""


class Decoder(Generic[M]):
    """A decoder for clients' frames.

    Args:
        commands: the types of all commands.
        move: the type of a move.
    """

    def __init__(self, commands: Sequence[type[Command]], move: type[M]) -> None:
        self._types: dict[int, Any] = {kind_of(command): command for command in commands}
        self._types |= dict.fromkeys(range(FIRST_NUMBER, LAST_NUMBER + 1), move)
        self._moves = msgspec.msgpack.Decoder(move)

    def decode(self, frame: bytes | None) -> Command | M:
        """Decode a frame; `None` stands for a text frame.

        Raises:
            BadMessageError: it contains neither a command nor a move.
            OldProtocolError: it contains a message of version 1.
        """
        if frame is None:
            raise BadMessageError("Messages are binary frames, and this is a text frame.")
        if 1 < len(frame) <= _SHORT and FIRST_NUMBER <= frame[1] <= LAST_NUMBER:
            # Most frames are moves. Any other frame is decoded below.
            try:
                return self._moves.decode(frame)
            except (msgspec.DecodeError, UnicodeDecodeError):
                pass
        try:
            value = _unpacked(frame)
            kind = self._types[value[0]] if type(value) is list else None
            if kind is not None:
                message: Command | M = msgspec.convert(value, type=kind)
                return message
        except _FAULTS:
            pass
        else:
            if isinstance(value, dict) and value.get("type") == "hello":
                raise OldProtocolError
        decoded: Command | M = lenient.decode(frame, self._types)
        return decoded


_FAULTS: Final = (
    *(ValueError, TypeError, LookupError, RecursionError),
    *(msgpack.UnpackException, msgspec.ValidationError),
)
"""Faults of a frame that is not strictly a message."""


def _unpacked(frame: bytes) -> Any:
    """Unpack the msgpack value in a frame.

    Raises one of `_FAULTS` if it is not msgpack, or larger than any message.
    """
    if len(frame) <= _SHORT:
        return msgpack.unpackb(frame)
    return msgpack.unpackb(
        frame,
        strict_map_key=True,
        max_str_len=_MAX_TEXT_LENGTH,
        max_array_len=MAX_LIST_LENGTH,
        max_map_len=MAX_LIST_LENGTH,
        max_bin_len=0,
        max_ext_len=0,
    )


def encode(event: Event, re: Re = NEWS) -> bytes:
    """Encode an event that answers `re`."""
    value: list[Any] = list(msgspec.to_builtins(event, builtin_types=(bytes,)))
    value.insert(1, re)
    return _packed(value)


def encode_moved(  # noqa: PLR0917 - the fields of the message
    number: int,
    seq: int,
    changes: Sequence[Sequence[int]],
    time: int | None,
    end: End | None,
    redeals: int | None,
) -> bytes:
    """Encode a `Moved`, given its fields."""
    if redeals is not None:
        return _packed((number, seq, changes, time, end, redeals))
    if end is not None:
        return _packed((number, seq, changes, time, end))
    if time is not None:
        return _packed((number, seq, changes, time))
    return _packed((number, seq, changes))


def encode_progress(counters: Sequence[int]) -> bytes:
    """Encode progress: a flat sequence of (runner, home, moves, headway) per runner."""
    return _packed((PROGRESS, *counters))


_packed = msgspec.msgpack.Encoder().encode
"""Encodes a message. `msgpack.packb` would allocate a buffer of 256 KB for each."""
