"""A session with a node, whose frames a library packs and unpacks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import msgpack
from websockets.asyncio.client import ClientConnection, connect

from server.base.wire.messages import kind_of
from server.base.wire.session_messages import Refused
from tests.codecs.libraries import Codec, Library, running, shown

REFUSED = kind_of(Refused)


class Row(NamedTuple):
    """A command that a library has packed.

    Attributes:
        library: the library's name.
        value: the command.
        frame: its bytes.
        refusal: the text of its refusal as `bad_message`, or empty.
        read: how the library has read the answer, if differently from Python's msgpack.
    """

    library: str
    value: list[Any]
    frame: bytes
    refusal: str
    read: str

    @property
    def outcome(self) -> str:
        """How the node has read the frame."""
        if self.refusal:
            return "refused"
        return "same" if self.frame == msgpack.packb(self.value) else "lenient"


async def play(library: Library, folder: Path, port: int) -> list[Row]:
    """Play a session, and return its commands."""
    url = f"ws://127.0.0.1:{port}/socket"
    with running(library, folder) as codec:
        async with connect(url, compression=None) as socket:
            return [row async for row in _rows(library.name, codec, socket)]


async def _rows(name: str, codec: Codec, socket: ClientConnection) -> AsyncIterator[Row]:
    async def ask(value: list[Any]) -> tuple[Row, list[Any]]:
        """Send a command, and return its row and answer."""
        frame = codec.pack(value)
        await socket.send(frame)
        while True:
            received = await socket.recv()
            assert isinstance(received, bytes)
            answer = msgpack.unpackb(received)
            # Not an event of the room.
            if answer[1] or answer[0] == REFUSED:
                break
        refusal = answer[3] if answer[0] == REFUSED and answer[2] == "bad_message" else ""
        read = codec.unpack(received)
        return Row(name, value, frame, refusal, "" if read == shown(answer) else read), answer

    # A null in the middle, and a name outside Latin-1.
    row, _ = await ask([1, 1, 1, None, "Ева"])
    yield row
    if row.refusal:
        yield (await ask([1, 1, 1]))[0]
    # An id that needs 64 bits.
    yield (await ask([15, 2**32 + 5]))[0]
    row, attempt = await ask([11, 3, "robert"])
    yield row
    number, key, seq, piles = attempt[2], attempt[3], attempt[10], len(attempt[11])
    yield (await ask([number, seq + 1, piles - 2, piles - 1]))[0]
    # A digest of 32 bits, and an array in a field.
    yield (await ask([8, 4, key, [seq + 1, 2**32 - 1]]))[0]
    row, room = await ask([3, 5, "robert", 2, 600, "a key of a room"])
    yield row
    yield (await ask([6, 6, room[2], True]))[0]
    yield (await ask([148, 7, ["challenged", "streak"], None]))[0]
