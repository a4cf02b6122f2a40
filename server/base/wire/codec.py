"""Decoding of frames into commands, and encoding of events into frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar, Union

import msgpack
import msgspec

from server.base.wire.messages import NEWS, Command, End, Event, MoveMessage, Re, kind_of
from server.base.wire.short_forms import FIRST_NUMBER, LAST_NUMBER, PROGRESS

M = TypeVar("M", bound=MoveMessage)

MAX_FRAME_SIZE = 4_096
"""The most bytes of a frame from a client."""

_MAX_TEXT_LENGTH = MAX_FRAME_SIZE
"""A text may fill a frame, as a passkey does. A text costs what its bytes do, and the types of
the fields say how long each may be."""
_MAX_LIST_LENGTH = 64
_SHORT = 16
"""Bytes of a frame that is too short to hold anything large, and is decoded without limits."""


class BadMessageError(Exception):
    """A frame that is not a message of this protocol.

    Attributes:
        re: the `re` of its refusal, as far as the frame says it, or `NEWS`.
        text: what is wrong with the frame, in one sentence.
    """

    def __init__(self, text: str, re: Re = NEWS) -> None:
        super().__init__(text)
        self.text = text
        self.re = re


class OldProtocolError(Exception):
    """A frame of version 1 of the protocol, whose messages were maps."""


class Decoder(Generic[M]):
    """Decodes the frames of clients.

    Args:
        commands: the type of every command.
        move: the type of a move.
    """

    def __init__(self, commands: Sequence[type[Command]], move: type[M]) -> None:
        # msgspec takes 0.7 µs to check a message against one type, and 20 µs against all.
        self._any: Any = Union[tuple(commands)]  # noqa: UP007 - they are known only here
        self._types: dict[int, Any] = {kind_of(command): command for command in commands}
        self._types |= dict.fromkeys(range(FIRST_NUMBER, LAST_NUMBER + 1), move)

    def decode(self, frame: bytes | None) -> Command | M:
        """Return the command or move in a frame; `None` stands for a text frame.

        Raises:
            BadMessageError: it holds neither.
            OldProtocolError: it holds a message of version 1.
        """
        if frame is None:
            raise BadMessageError("Messages are binary frames.")
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
        """Return the type of the message that begins with a value, or all of them if none does."""
        return self._types.get(first, self._any) if type(first) is int else self._any


def _unpacked(frame: bytes) -> Any:
    """Return the msgpack value in a frame.

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
    """Return the frame of an event that answers `re`."""
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
    """Return the frame of a `Moved`, given its fields."""
    if redeals is not None:
        return _packed((number, seq, changes, time, end, redeals))
    if end is not None:
        return _packed((number, seq, changes, time, end))
    if time is not None:
        return _packed((number, seq, changes, time))
    return _packed((number, seq, changes))


def encode_progress(counters: Sequence[int]) -> bytes:
    """Return the frame of progress: (runner, home, moves) for each runner, one after the other."""
    return _packed((PROGRESS, *counters))


def _packed(value: object) -> bytes:
    frame: bytes = msgpack.packb(value)
    return frame
