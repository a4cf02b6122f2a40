"""Messages between nodes. Each node has a topic, and each wing registers its own messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from operator import or_
from typing import Any, TypeVar

from msgspec import Struct

from server.base.core import topics
from server.base.core.bus_message import Decoder, encode
from server.base.redis.bus import Bus
from server.base.work.signal import Signal

M = TypeVar("M", bound=Struct)


class NodeBus:
    """Sends messages to other nodes, and dispatches messages to this one."""

    def __init__(self, bus: Bus, node: str) -> None:
        # Emitted when messages to this node may have been missed.
        self.missed: Signal[()] = Signal()
        self.node = node
        self._bus = bus
        self._takers: dict[type[Struct], Callable[[Any], object]] = {}
        bus.subscribe(topics.node(node), self._receive)

    def on(self, kind: type[M], take: Callable[[M], object]) -> None:
        """Register a handler for messages of a kind, a tagged struct."""
        self._takers[kind] = take
        self._decoder: Decoder[Struct] = Decoder(reduce(or_, self._takers))

    def send(self, nodes: Iterable[str], message: Struct) -> None:
        """Send a message to other nodes."""
        payload = b""
        for node in nodes:
            payload = payload or encode(message)
            self._bus.publish(topics.node(node), payload)

    def decode(self, payload: bytes | None) -> Struct | None:
        """Decode a payload, like `Decoder.decode`."""
        return self._decoder.decode(payload)

    def _receive(self, payload: bytes | None) -> None:
        message = self.decode(payload)
        if message is None:
            self.missed.emit()
        else:
            self._takers[type(message)](message)
