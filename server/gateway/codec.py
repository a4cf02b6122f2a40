"""Frames to commands, and events to frames."""

from __future__ import annotations

from typing import Any

import msgpack
import msgspec

from server.gateway.messages import AnyCommand, AnyEvent

LONGEST_FRAME = 4_096
"""Bytes of a frame from a client."""

_LONGEST_TEXT = 512
_LONGEST_LIST = 64


class BadMessageError(Exception):
    """A frame that is no command.

    Attributes:
        re: the id that it carries all the same, or `None`.
        text: what is wrong with it, in one sentence.
    """

    def __init__(self, text: str, re: int | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.re = re


def decode(frame: bytes | str) -> AnyCommand:
    """Return the command that a frame is.

    Raises:
        BadMessageError: it is none.
    """
    if isinstance(frame, str):
        raise BadMessageError("Messages are binary frames.")
    try:
        value = msgpack.unpackb(
            frame,
            raw=False,
            strict_map_key=True,
            max_str_len=_LONGEST_TEXT,
            max_array_len=_LONGEST_LIST,
            max_map_len=_LONGEST_LIST,
            max_bin_len=0,
            max_ext_len=0,
        )
    except (ValueError, TypeError, RecursionError, msgpack.UnpackException) as error:
        raise BadMessageError("A message is one msgpack map.") from error
    try:
        command: AnyCommand = msgspec.convert(value, type=AnyCommand)
    except msgspec.ValidationError as error:
        raise BadMessageError(f"{error}.", _id_of(value)) from error
    return command


def _id_of(value: Any) -> int | None:
    """Return the id of a message that is otherwise wrong, if it has one."""
    id_ = value.get("id") if isinstance(value, dict) else None
    return id_ if type(id_) is int and 0 < id_ < 1 << 53 else None


def encode(event: AnyEvent) -> bytes:
    """Return the frame of an event."""
    frame: bytes = msgpack.packb(msgspec.to_builtins(event))
    return frame
