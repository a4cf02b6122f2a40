"""The form of what nodes publish to one another: msgpack arrays that begin with their tag.

Each wing declares its own messages. They only save reads: a node that misses one reads the store
instead. A message with an unknown tag, as during the rollout of a newer version, is treated as a
lost one.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec

T = TypeVar("T")

encode = msgspec.msgpack.Encoder().encode
"""Returns the payload of a message."""


class Decoder(Generic[T]):
    """Decodes the messages of a topic: a struct with a tag, or a union of such."""

    def __init__(self, kinds: Any) -> None:
        self._decoder: msgspec.msgpack.Decoder[T] = msgspec.msgpack.Decoder(kinds)

    def decode(self, payload: bytes | None) -> T | None:
        """Return the message of a payload.

        Returns:
            `None` if messages may have been lost: there is no payload, or it cannot be decoded.
        """
        if not payload:
            return None
        try:
            return self._decoder.decode(payload)
        except msgspec.MsgspecError:
            return None
