"""`PROTOCOL.md` matches the types: every example is a message, and every message has one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import msgpack
import msgspec
import pytest

from engine.catalog import ruleset
from engine.notation import seen_text
from server import protocol
from server.base.wire import codec
from server.base.wire import messages as wire_messages
from server.base.wire.contracts import Reason
from server.base.wire.messages import Command, kind_of
from server.base.wire.session_messages import VERSION, VERSIONS
from server.circles.messages import LeagueTerms
from server.handlers import HANDLERS
from server.play import messages as play_messages
from server.play.core.digest import fnv1a
from server.play.messages import FIRST_NUMBER, LAST_NUMBER
from server.play.resume import MAX_MISSED
from server.request import NodeRequest
from server.rooms.messages import PROGRESS
from tests.wire import read_event

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "server" / "PROTOCOL.md").read_text(encoding="utf-8")

COMMANDS = {kind_of(command): command for command in protocol.COMMANDS}
EVENTS = {kind_of(event): event for event in protocol.EVENTS}
PARTS = [struct for struct in protocol.STRUCTS if struct not in protocol.COMMANDS + protocol.EVENTS]
"""Moves, their answers, and structs used as fields of messages."""


@dataclass(frozen=True)
class Example:
    """An example message in PROTOCOL.md.

    Attributes:
        sign: `>` for a command, `<` for an event.
        value: the array of its fields.
        frame: its bytes, or `None` if they are not shown.
    """

    sign: str
    value: list[Any]
    frame: bytes | None

    @property
    def name(self) -> str:
        """The name of its struct, or `progress`."""
        kind, is_command = self.value[0], self.sign == ">"
        if FIRST_NUMBER <= kind <= LAST_NUMBER:
            return "PlayMove" if is_command else "Moved"
        if is_command:
            return COMMANDS[kind].__name__
        return "progress" if kind == PROGRESS else EVENTS[kind].__name__


def examples() -> Iterator[Example]:
    """Yield every message in the code blocks of PROTOCOL.md."""
    for block in re.findall(r"^```text\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE):
        for text in re.split(r"^(?=[<>] )", block, flags=re.MULTILINE)[1:]:
            array, _, frame = text[2:].partition("\n= ")
            quoted = re.sub(r"h'([0-9a-f]*)'", r'{"bin": "\1"}', array)
            value = json.loads(quoted, object_hook=lambda found: bytes.fromhex(found["bin"]))
            yield Example(text[0], value, bytes.fromhex(frame) if frame else None)


EXAMPLES = list(examples())


def first(name: str, test: str = "") -> list[Any]:
    """Return the first example of a message whose array contains a text."""
    return next(e.value for e in EXAMPLES if e.name == name and test in str(e.value))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_is_a_message(example: Example) -> None:
    packed = msgpack.packb(example.value)
    if example.sign == ">":
        assert type(protocol.decode(packed)).__name__ == example.name
        frame = packed
    elif example.name == "Moved":
        frame = codec.encode_moved(*_filled(example.value))
    elif example.name == "progress":
        frame = codec.encode_progress(example.value[1:])
    else:
        re_ = example.value[1]
        answers = tuple(re_) if isinstance(re_, list) else re_
        frame = codec.encode(read_event(example.value), answers)
    assert frame == packed
    assert example.frame in {None, frame}


def _filled(value: list[Any]) -> Any:
    """Return all fields of a `Moved`, with `None` for omitted ones."""
    moved = msgspec.convert(value, type=play_messages.Moved)
    return [getattr(moved, name) for name in moved.__struct_fields__]


def test_the_bytes_of_typical_and_frequent_messages_are_shown() -> None:
    shown = {example.name for example in EXAMPLES if example.frame is not None}
    assert shown >= {"PlayMove", "Moved", "progress", "Ping", "Pong", "Hello", "Refused"}


def test_every_message_has_an_example() -> None:
    named = {kind.__name__ for kind in (*COMMANDS.values(), *EVENTS.values())}
    assert {example.name for example in EXAMPLES} == named | {"PlayMove", "Moved", "progress"}


def fields_of(struct: type[msgspec.Struct]) -> str:
    """Return the cell with the fields of a struct, as in the tables of PROTOCOL.md."""
    command = issubclass(struct, wire_messages.Command)
    names = [
        f"`{field.name}{'?' if not field.required else ''}`"
        for field in msgspec.structs.fields(struct)
        if not (command and field.name == "id")
    ]
    return f"{', '.join(names)} |" if names else "|"


def test_every_event_is_in_the_table() -> None:
    for tag, kind in EVENTS.items():
        assert f"\n| {tag} | `{kind.__name__}` | {fields_of(kind)}" in TEXT


def test_kinds_are_unique_and_differ_from_numbers_of_attempts() -> None:
    commands = [kind_of(command) for command in protocol.COMMANDS]
    events = [kind_of(event) for event in protocol.EVENTS]
    for kinds in (commands, [*events, PROGRESS]):
        assert len(set(kinds)) == len(kinds)
        numbers = range(FIRST_NUMBER, LAST_NUMBER + 1)
        assert all(0 < kind < 256 and kind not in numbers for kind in kinds)


@pytest.mark.parametrize("struct", PARTS)
def test_every_struct_is_in_the_tables(struct: type[msgspec.Struct]) -> None:
    assert f"\n| `{struct.__name__}` | {fields_of(struct)}" in TEXT


def optional_fields(structs: Iterable[type[msgspec.Struct]]) -> Iterator[tuple[str, str, Any]]:
    """Yield the struct, name and default of each optional field."""
    for struct in structs:
        for field in msgspec.structs.fields(struct):
            if not field.required:
                made = field.default_factory is not msgspec.NODEFAULT
                yield (
                    struct.__name__,
                    field.name,
                    field.default_factory() if made else field.default,
                )


SENT: set[type[msgspec.Struct]] = {
    *protocol.COMMANDS,
    play_messages.PlayMove,
    play_messages.Have,
    LeagueTerms,
}
"""The structs that clients send."""


def test_the_defaults_of_commands_are_in_the_table() -> None:
    table = re.search(r"^\| default \| fields \|\n\|.*\n((?:\|.*\n)+)", TEXT, re.MULTILINE)
    assert table is not None
    defaults: dict[str, Any] = {}
    for row in table[1].splitlines():
        _, default, names, _ = row.split("|")
        defaults |= dict.fromkeys(re.findall(r"`([\w.]+)`", names), json.loads(default.strip(" `")))
    used = set()
    for struct, name, default in optional_fields(SENT):
        key = f"{struct}.{name}" if f"{struct}.{name}" in defaults else name
        assert defaults[key] == default, (struct, name)
        used.add(key)
    assert used == defaults.keys()


def test_other_defaults_are_empty_or_named() -> None:
    received = set(protocol.STRUCTS) - SENT
    named = {
        (name, default)
        for _, name, default in optional_fields(received)
        if default not in (None, False, 0, "", [])
    }
    assert named == {("help", "none"), ("scope", "day"), ("group", "guests")}


def return_type(handler: object) -> str:
    """Return the events that a handler returns, as in the table of PROTOCOL.md."""
    returned = get_type_hints(handler)["return"]
    return " or ".join(f"`{event.__name__}`" for event in get_args(returned) or (returned,))


@pytest.mark.parametrize("command", protocol.COMMANDS)
def test_a_handler_returns_the_event_in_the_table(command: type[Command]) -> None:
    row = f"| {kind_of(command)} | `{command.__name__}` | {fields_of(command)}"
    assert f"\n{row} {return_type(HANDLERS[command])} |" in TEXT


@pytest.mark.parametrize("command", protocol.COMMANDS)
def test_a_handlers_parameter_is_its_command(command: type[Command]) -> None:
    parameter = get_type_hints(HANDLERS[command])["request"]
    assert (get_origin(parameter), get_args(parameter)[0]) == (NodeRequest, command)


def test_the_codes_named_in_messages_exist() -> None:
    said = " ".join((struct.__doc__ or "") for struct in protocol.STRUCTS)
    sentences = re.findall(r"[Rr]efused as ([^.;]+)[.;]", " ".join(said.split()))
    named = re.findall(r"`(\w+)`", " ".join(sentences))
    assert set(named) == {code.name for code in protocol.REFUSALS}


def test_every_code_is_explained() -> None:
    explained = set(re.findall(r"`([a-z_]+)`", TEXT))
    assert {code.name for code in protocol.REFUSALS} <= explained


@pytest.mark.parametrize("reason", list(Reason))
def test_every_close_code_is_explained(reason: Reason) -> None:
    assert f"| {reason.value[0]} | `{reason.name.lower()}` |" in TEXT


def test_the_digests_match_their_texts() -> None:
    digests = re.findall(r"^\| `(.+)` \| `(\d+)` \|$", TEXT, re.MULTILINE)
    assert len(digests) >= 4
    assert [(text, str(fnv1a(text))) for text, _ in digests] == digests


def test_the_example_of_resuming_continues_the_snapshots() -> None:
    attempt: Any = read_event(first("Attempt"))
    missed: Any = read_event(first("Missed", "1795220110000"))
    asked: Any = protocol.decode(msgpack.packb(first("OpenAttempt", "2854881431")))
    assert len(attempt.piles) == len(ruleset(attempt.game).pile_names)
    text = ",".join([*map(seen_text, attempt.piles), str(attempt.redeals)])
    assert asked.have == play_messages.Have(attempt.seq, fnv1a(text))
    assert attempt.seq == missed.since
    assert missed.seq - missed.since == len(missed.moves) + 1
    _, _, source, target = first("PlayMove")
    moved = play_messages.MissedMove(source, target, 1, first("Moved")[2], attempt.redeals)
    assert missed.moves[0] == moved


def test_the_limit_of_missed_moves_is_documented() -> None:
    assert f"if it has more than {MAX_MISSED} after it" in TEXT


def test_the_version_of_this_release_is_supported() -> None:
    assert VERSION in VERSIONS
