"""The Python client's frames, checked against the server's by the protocol's examples."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgpack
import pytest

from samedeal_client import messages
from samedeal_client.protocol import Command
from samedeal_client.wire import Progress, decode, encode
from server import protocol
from server.base.wire.messages import kind_of
from tests.test_protocol import EXAMPLES, Example

COMMANDS: dict[int, type[Command[Any]]] = {
    cls.kind: cls
    for cls in vars(messages).values()
    if isinstance(cls, type) and issubclass(cls, Command) and cls.kind
}


def plain(value: Any) -> Any:
    """Return a value of the client's or the server's messages in its msgpack form."""
    if dataclasses.is_dataclass(value):
        return [plain(getattr(value, each.name)) for each in dataclasses.fields(value)]
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


def of_client(cls: Any, values: list[Any]) -> Any:
    """Return a command with these plain values."""
    parts = [
        messages.Have(*value) if field.name == "have" and value else value
        for field, value in zip(dataclasses.fields(cls), values, strict=False)
    ]
    return cls(*(tuple(part) if isinstance(part, list) else part for part in parts))


@pytest.mark.parametrize(
    "example", [each for each in EXAMPLES if each.sign == ">"], ids=lambda example: example.name
)
def test_a_commands_frame_is_decoded_by_the_server(example: Example) -> None:
    if example.name == "PlayMove":
        command, number = of_client(messages.PlayMove, example.value), 0
    else:
        kind, number, *values = example.value
        command = of_client(COMMANDS[kind], values)
    read = protocol.decode(encode(command, number))
    assert (read, command.cost) == (protocol.decode(msgpack.packb(example.value)), read.cost)


@pytest.mark.parametrize(
    "example", [each for each in EXAMPLES if each.sign == "<"], ids=lambda example: example.name
)
def test_all_fields_of_an_event_are_decoded(example: Example) -> None:
    decoded = decode(msgpack.packb(example.value))
    assert decoded is not None
    re, event = decoded
    assert type(event).__name__.lower() == example.name.lower()
    if isinstance(event, Progress):
        assert plain(event.counters) == [example.value[1:]]
        return
    head = (
        [] if example.name == "Moved" else [event.kind, list(re) if isinstance(re, tuple) else re]
    )
    assert [*head, *plain(event)][: len(example.value)] == example.value


@pytest.mark.parametrize(
    "frame", [b"", b"\xc1", b"\x01", b"\x90", msgpack.packb([200, 1]), msgpack.packb([1, 1])]
)
def test_unknown_and_malformed_events_are_ignored(frame: bytes) -> None:
    assert decode(frame) is None


def test_extra_fields_are_ignored_and_missing_ones_have_defaults() -> None:
    assert decode(msgpack.packb([4, 1, 5, "new"])) == (1, messages.Pong(5))
    assert decode(msgpack.packb([23, 0, "H7KQ2M4X"])) == (0, messages.Removed("H7KQ2M4X"))


def test_every_message_is_known() -> None:
    assert COMMANDS.keys() == set(map(kind_of, protocol.COMMANDS))
    assert messages.EVENTS.keys() == set(map(kind_of, protocol.EVENTS))
