"""Decoding of frames into commands, and encoding of events into frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar, Union

import msgpack
import msgspec.msgpack

from server.base.wire.messages import NEWS, Command, End, Event, MoveMessage, Re, kind_of
from server.base.wire.short_forms import FIRST_NUMBER, LAST_NUMBER, PROGRESS

M = TypeVar("M", bound=MoveMessage)

MAX_FRAME_SIZE = 4_096
"""Maximum bytes of a client's frame."""

_MAX_TEXT_LENGTH = MAX_FRAME_SIZE
"""A text may fill a frame, as a passkey does. Long texts cost only their bytes; the types of the
fields limit their lengths."""
_MAX_LIST_LENGTH = 64
_SHORT = 16
"""Frames of up to this many bytes cannot hold anything large, and are decoded without limits."""


class BadMessageError(Exception):
    """A frame that is not a message of this protocol.

    Attributes:
        re: the `re` of its refusal if the frame contains one, else `NEWS`.
        text: the fault in the frame, in one sentence.
    """

    def __init__(self, text: str, re: Re = NEWS) -> None:
        super().__init__(text)
        self.text = text
        self.re = re


class OldProtocolError(Exception):
    """A frame of version 1 of the protocol, whose messages were maps."""


class Decoder(Generic[M]):
    """A decoder for clients' frames.

    Args:
        commands: the types of all commands.
        move: the type of a move.
    """

    def __init__(self, commands: Sequence[type[Command]], move: type[M]) -> None:
        # msgspec takes 0.7 µs to check a message against one type, and 20 µs against all.
        self._any: Any = Union[tuple(commands)]  # noqa: UP007 - the types are known at run time only
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
            raise BadMessageError("Messages are binary frames.")
        if 1 < len(frame) <= _SHORT and FIRST_NUMBER <= frame[1] <= LAST_NUMBER:
            # Most frames are moves. Any other frame is decoded and refused below.
            try:
                return self._moves.decode(frame)
            except (msgspec.DecodeError, UnicodeDecodeError):
                pass
        value = _unpacked(frame)
        if type(value) is not list or not value:
            if isinstance(value, dict) and value.get("type") == "hello":
                raise OldProtocolError
            raise BadMessageError("A message is one msgpack array.")
        try:
            message: Command | M = msgspec.convert(value, type=self._type_of(value[0]))
        except msgspec.ValidationError as error:
            raise BadMessageError(f"{error}.", _re_of(value)) from error
        return message

    def _type_of(self, first: Any) -> Any:
        """Return the type for a message's first value, or the union of all if it is unknown."""
        return self._types.get(first, self._any) if type(first) is int else self._any


def _unpacked(frame: bytes) -> Any:
    """Unpack the msgpack value in a frame.

    Raises:
        BadMessageError: it is not msgpack, or larger than any message.
    """
    try:
        if len(frame) <= _SHORT:
            return msgpack.unpackb(frame)
        return msgpack.unpackb(
            frame,
            strict_map_key=True,
            max_str_len=_MAX_TEXT_LENGTH,
            max_array_len=_MAX_LIST_LENGTH,
            max_map_len=_MAX_LIST_LENGTH,
            max_bin_len=0,
            max_ext_len=0,
        )
    except (ValueError, TypeError, RecursionError, msgpack.UnpackException) as error:
        raise BadMessageError("A message is one msgpack array.") from error


def _re_of(value: list[Any]) -> Re:
    """Return the `re` for the refusal of a bad message."""
    first, second = (*value, None)[:2]
    if type(second) is not int or not 0 < second < 1 << 53:
        return NEWS
    is_number = type(first) is int and FIRST_NUMBER <= first <= LAST_NUMBER
    return (first, second) if is_number else second


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
