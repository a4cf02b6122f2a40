"""Frames to commands, and events to frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgpack
import msgspec

from server.core.attempt import End
from server.gateway.messages import (
    FIRST_NUMBER,
    NEWS,
    PROGRESS,
    AnyCommand,
    AnyEvent,
    PlayMove,
    Re,
)

LONGEST_FRAME = 4_096
"""Bytes of a message from a client."""

_LONGEST_TEXT = 512
_LONGEST_LIST = 64
_SHORT = 16
"""Bytes of a message that cannot hold anything large, and so is read without limits."""


class BadMessageError(Exception):
    """A frame that is no message of this protocol.

    Attributes:
        re: what a refusal answers all the same, or `NEWS`.
        text: what is wrong with it, in one sentence.
    """

    def __init__(self, text: str, re: Re = NEWS) -> None:
        super().__init__(text)
        self.text = text
        self.re = re


class OldProtocolError(Exception):
    """A frame of version 1 of the protocol, whose messages were maps."""


def decode(frame: bytes | None) -> AnyCommand | PlayMove:
    """Return the command that a frame is; `None` stands for one that is not binary.

    Raises:
        BadMessageError: it is none.
        OldProtocolError: it is one of version 1.
    """
    if frame is None:
        raise BadMessageError("Messages are binary frames.")
    value = _unpacked(frame)
    if type(value) is not list or not value:
        if isinstance(value, dict) and value.get("type") == "hello":
            raise OldProtocolError
        raise BadMessageError("A message is one msgpack array.")
    try:
        if type(value[0]) is int and value[0] >= FIRST_NUMBER:
            return msgspec.convert(value, type=PlayMove)
        command: AnyCommand = msgspec.convert(value, type=AnyCommand)
    except msgspec.ValidationError as error:
        raise BadMessageError(f"{error}.", _re_of(value)) from error
    return command


def _unpacked(frame: bytes) -> Any:
    """Return the value of a frame.

    Raises:
        BadMessageError: it is no msgpack, or larger than a message is.
    """
    try:
        if len(frame) <= _SHORT:
            return msgpack.unpackb(frame)
        return msgpack.unpackb(
            frame,
            strict_map_key=True,
            max_str_len=_LONGEST_TEXT,
            max_array_len=_LONGEST_LIST,
            max_map_len=_LONGEST_LIST,
            max_bin_len=0,
            max_ext_len=0,
        )
    except (ValueError, TypeError, RecursionError, msgpack.UnpackException) as error:
        raise BadMessageError("A message is one msgpack array.") from error


def _re_of(value: list[Any]) -> Re:
    """Return what the refusal of a message answers that is otherwise wrong."""
    first, second = (*value, None)[:2]
    if type(second) is not int or not 0 < second < 1 << 53:
        return NEWS
    return (first, second) if type(first) is int and FIRST_NUMBER <= first < 1 << 53 else second


def encode(event: AnyEvent, re: Re = NEWS) -> bytes:
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
    """Return the frame of a `Moved`."""
    if redeals is not None:
        return _packed((number, seq, changes, time, end, redeals))
    if end is not None:
        return _packed((number, seq, changes, time, end))
    if time is not None:
        return _packed((number, seq, changes, time))
    return _packed((number, seq, changes))


def encode_progress(counters: Sequence[int]) -> bytes:
    """Return the frame of progress: (runner, home, moves) for each runner who got further."""
    return _packed((PROGRESS, *counters))


def _packed(value: object) -> bytes:
    frame: bytes = msgpack.packb(value)
    return frame
