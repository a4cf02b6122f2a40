"""`PROTOCOL.md` against the types: every example is a message, and every message has one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import msgpack
import msgspec
import pytest

from server.core.refusal import SENTENCES
from server.gateway import codec, messages
from server.gateway.session import Reason

TEXT = (Path(codec.__file__).parent.parent / "PROTOCOL.md").read_text()


def examples() -> list[dict[str, Any]]:
    """Return every message of the page's JSON blocks."""
    decoder = json.JSONDecoder()
    found = []
    for block in re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL):
        at = 0
        while at < len(block.rstrip()):
            value, at = decoder.raw_decode(block, at)
            found.append(value)
            at += len(block[at:]) - len(block[at:].lstrip())
    return found


COMMANDS = {kind.__struct_config__.tag: kind for kind in get_args(messages.AnyCommand)}
EVENTS = {kind.__struct_config__.tag: kind for kind in get_args(messages.AnyEvent)}


@pytest.mark.parametrize("example", examples(), ids=lambda example: str(example["type"]))
def test_an_example_is_a_message(example: dict[str, Any]) -> None:
    if example["type"] in COMMANDS:
        assert isinstance(codec.decode(msgpack.packb(example)), COMMANDS[example["type"]])
        return
    event = msgspec.convert(example, type=messages.AnyEvent)
    again = msgpack.unpackb(codec.encode(event))
    assert again == example


def test_every_message_has_an_example() -> None:
    shown = {example["type"] for example in examples()}
    assert shown == COMMANDS.keys() | EVENTS.keys()


def test_every_code_is_explained() -> None:
    explained = set(re.findall(r"`([a-z_]+)`", TEXT))
    assert SENTENCES.keys() <= explained


@pytest.mark.parametrize("reason", list(Reason))
def test_every_close_code_is_explained(reason: Reason) -> None:
    assert f"| {reason.value[0]} | `{reason.name.lower()}` |" in TEXT
