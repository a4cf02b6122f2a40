"""Encoding of pub/sub messages between nodes: msgpack arrays that start with their tag.

Each wing declares its own messages. Messages only save reads: a node that misses one reads the
store instead. A message with an unknown tag counts as lost; nodes of a newer version send such
messages during a rollout.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec

T = TypeVar("T")

encode = msgspec.msgpack.Encoder().encode  # return a message's payload


class Decoder(Generic[T]):
    """A decoder for a topic's messages: a tagged struct or a union of tagged structs."""

    def __init__(self, kinds: Any) -> None:
        self._decoder: msgspec.msgpack.Decoder[T] = msgspec.msgpack.Decoder(kinds)

    def decode(self, payload: bytes | None) -> T | None:
        """Decode a payload, or return `None` if messages may have been lost.

        They may have been if the payload is empty or cannot be decoded.
        """
        if not payload:
            return None
        try:
            return self._decoder.decode(payload)
        except msgspec.MsgspecError:
            return None
