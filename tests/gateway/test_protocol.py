"""`PROTOCOL.md` against the types: every example is a message, and every message has one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import msgpack
import msgspec
import pytest

from engine.catalog import ruleset
from server.core.digest import fnv1a
from server.core.refusal import SENTENCES
from server.gateway import codec, messages
from server.gateway.session import Reason
from server.service.resume import MOST_MISSED

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


def test_the_digests_are_those_of_their_texts() -> None:
    rows = re.findall(r"^\| `(.+)` \| `(\d+)` \|$", TEXT, re.MULTILINE)
    assert len(rows) >= 4
    assert [(text, str(fnv1a(text))) for text, _ in rows] == rows


def test_the_example_of_coming_back_goes_on_from_the_one_of_a_snapshot() -> None:
    shown: dict[str, dict[str, Any]] = {example["type"]: example for example in examples()}
    attempt, missed = shown["attempt"], shown["missed"]
    have = next(example["have"] for example in examples() if "have" in example)
    piles = [attempt["piles"][name] for name in ruleset(attempt["game"]).pile_names]
    assert have["digest"] == fnv1a(",".join([*piles, str(attempt["redeals"])]))
    assert have["seq"] == attempt["seq"] == missed["since"]
    assert missed["seq"] - missed["since"] == len(missed["moves"]) + 1
    move, changes, redeals = missed["moves"][0]
    moved = shown["moved"]
    assert (move, changes, redeals) == (moved["move"], moved["changes"], moved["redeals"])


def test_how_much_can_be_missed_is_said() -> None:
    assert f"if it has more than {MOST_MISSED} after it" in TEXT
