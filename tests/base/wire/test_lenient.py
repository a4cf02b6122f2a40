"""Frames of libraries that use msgpack in other ways, and the faults of all other frames."""

from __future__ import annotations

import json
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgpack
import pytest

from server import protocol
from server.base.wire.codec import MAX_FRAME_SIZE
from server.base.wire.lenient import MAX_ELEMENTS, MAX_LIST_LENGTH, BadMessageError
from server.base.wire.messages import Re
from tests.test_protocol import EXAMPLES

COMMANDS = [example.value for example in EXAMPLES if example.sign == ">"]


def as_others_pack(value: Any) -> Any:
    """Return a value with `bin` for text, and floats for integers from 2^32 on."""
    if isinstance(value, list):
        return [as_others_pack(each) for each in value]
    if isinstance(value, str):
        return value.encode()
    return float(value) if type(value) is int and value >= 2**32 else value


@pytest.mark.parametrize("value", COMMANDS, ids=lambda value: value[0])
def test_bin_and_integral_floats_are_text_and_integers(value: list[Any]) -> None:
    expected = protocol.decode(msgpack.packb(value))
    assert protocol.decode(msgpack.packb(as_others_pack(value))) == expected
    assert protocol.decode(msgpack.packb([float(value[0]), *value[1:]])) == expected


@pytest.mark.parametrize("wrong", [1.5, 2.0**53, -(2.0**53), float("inf"), float("nan"), 1e300])
def test_other_floats_are_refused(wrong: float) -> None:
    with pytest.raises(BadMessageError, match=r"`version` of `Hello`: expected `int`, got `float`"):
        protocol.decode(msgpack.packb([1, 7, wrong]))


ARRAY = "A message is a msgpack array, and this frame begins with"
NAME = "`name` of `Rename`: "
RENAME = b"\x93\x02\x07"
"""The beginning of a `Rename` without its name."""


@pytest.mark.parametrize(
    ("frame", "re", "text"),
    [
        (b"", 0, "The frame is empty."),
        *(
            (other, 0, f"{ARRAY} the byte {other[0]:02x}.")
            for other in (b"\x0f", b"\xc1", b"\xa4Ping")
        ),
        *((a_map, 0, f"{ARRAY} a map.") for a_map in (b"\x82\x01\x0f\x02\x07", b"\xdf")),
        (b"\x90", 0, "The message is an empty array."),
        (b"\xdc\x00", 0, "The frame ends within the length of the array."),
        (b"\x92", 0, "`kind`: the frame ends before this field does."),
        (b"\x92\x0f", 0, "`id`: the frame ends before this field does."),
        (RENAME + b"\xa3ab", 7, NAME + "the frame ends before this field does."),
        (RENAME + b"\xdb\xff\xff\xff\xff", 7, NAME + "the frame ends before this field does."),
        (RENAME + b"\xa2a\xff", 7, NAME + "the text is not valid UTF-8."),
        (RENAME + b"\xc4\x02a\xff", 7, NAME + "the text is not valid UTF-8."),
        # Half of an emoji, as JavaScript's strings can have it.
        (RENAME + b"\xa3\xed\xa0\xbd", 7, NAME + "the text is not valid UTF-8."),
        *(
            (RENAME + extension, 7, NAME + "an extension type, which no message contains.")
            for extension in (
                *(b"\xd4\x05a", b"\xc7\x00\x01", b"\xd6\xff\x00\x00\x00\x00"),
                # An invalid time.
                b"\xc7\x01\xffa",
            )
        ),
        *(
            (RENAME + a_map, 7, NAME + "a map, which no message contains.")
            for a_map in (b"\x80", b"\x81\x01\x02", b"\x81\x90\x02", b"\xde\xff\xff")
        ),
        (RENAME + b"\xc1", 7, NAME + "msgpack has no type c1."),
        (RENAME + b"\xdc\x00\x41" + b"\x01" * 65, 7, NAME + "an array of more than 64 elements."),
        (RENAME + b"\x91" * 9 + b"\x01", 7, NAME + "arrays nested too deeply."),
        (RENAME + b"\x91" * 4_000, 7, NAME + "arrays nested too deeply."),
        (
            RENAME + b"\xdc\x00\x3c" + (b"\xdc\x00\x3c" + b"\x01" * 60) * 60,
            7,
            f"{NAME}more than {MAX_ELEMENTS} elements.",
        ),
        (b"\x92\x0f\x07\x00", 7, "The frame continues after the message, at byte 3."),
        (b"\x94\x20\x05\x01\x02\x00", (32, 5), "The frame continues after the message, at byte 5."),
    ],
)
def test_a_fault_of_a_frame_is_named(frame: bytes, re: Re, text: str) -> None:
    with pytest.raises(BadMessageError) as error:
        protocol.decode(frame)
    assert (error.value.text, error.value.re) == (text, re)


@pytest.mark.parametrize(
    ("value", "re", "text"),
    [
        (["x", 7], 7, "The first value of a message is its kind, an integer."),
        ([True, 7], 7, "The first value of a message is its kind, an integer."),
        ([200, 7], 7, "There is no command of kind 200."),
        ([-1, 2**53], 0, "There is no command of kind -1."),
        # Lengths include the kind, as the client counts them.
        ([15], 0, "`Ping` has 2 values, the first one included, and this message has 1."),
        ([15, 7, 1], 7, "`Ping` has 2 values, the first one included, and this message has 3."),
        ([1, 7], 7, "`Hello` has 3 to 5 values, the first one included, and this message has 2."),
        (
            [32, 7, 1, 2, 3, 4],
            (32, 7),
            "`PlayMove` has 4 to 5 values, the first one included, and this message has 6.",
        ),
        (
            [2, 7, *range(4_000)],
            7,
            "`Rename` has 3 values, the first one included, and this message has 4002.",
        ),
        ([15, "7"], 0, "`id` of `Ping`: expected `int`, got `str`."),
        ([15, 0], 0, "`id` of `Ping`: expected `int` >= 1."),
        ([2, 7, None], 7, "`name` of `Rename`: expected `str`, got `null`."),
        # Characters, not bytes.
        ([2, 7, "é" * 65], 7, "`name` of `Rename`: expected `str` of at most 64 characters."),
        (
            [3, 7, "a", 2, 60, "k"],
            7,
            "`key` of `CreateRoom`: expected `str` of at least 8 characters.",
        ),
        ([3, 7, "a", 9, 60, "k" * 8], 7, "`seats` of `CreateRoom`: expected `int` <= 8."),
        (
            [3, 7, "a", 2, 60, "k" * 8, "b", "x" * 3_000],
            7,
            "`help` of `CreateRoom`: unknown value.",
        ),
        (
            [148, 7, ["x"] * 4, None],
            7,
            "`topics` of `SetPush`: expected `array` of at most 3 elements.",
        ),
        (
            [8, 7, "a", [1]],
            7,
            "`have` of `OpenAttempt`: expected `array` of at least 2 elements, got 1.",
        ),
        ([8, 7, "a", [1, -1]], 7, "`have[1]` of `OpenAttempt`: expected `int` >= 0."),
        ([32, 7, 64, 1], (32, 7), "`source` of `PlayMove`: expected `int` <= 63."),
    ],
)
def test_a_fault_of_a_message_is_named(value: list[Any], re: Re, text: str) -> None:
    frame = msgpack.packb(value)[:MAX_FRAME_SIZE]
    with pytest.raises(BadMessageError) as error:
        protocol.decode(frame)
    assert (error.value.text, error.value.re) == (text, re)


def row_of(element: bytes) -> bytes:
    """Return an array of 64 of these elements."""
    return b"\xdc\x00\x40" + element * MAX_LIST_LENGTH


@pytest.mark.parametrize(
    "field",
    [
        b"\xdc\x00\x3c" + row_of(b"\xc0") * 60,
        b"\xdc\x00\x3c" + row_of(b"\xa0") * 60,
        b"\x91" * 1_000 + b"\xc0",
        b"\xdc\x00\x40" * 1_000,
        b"\x81\x01" * 1_000 + b"\xc0",
    ],
    ids=["nulls", "texts", "deep", "deep and long", "maps"],
)
def test_the_work_for_a_hostile_frame_is_bounded(field: bytes) -> None:
    """On a node, each takes at most 120 µs; a command that costs 1 is planned as 150."""
    frame = RENAME + field
    assert len(frame) <= MAX_FRAME_SIZE
    calls = Counter[str]()
    sys.setprofile(lambda _frame, event, _: calls.update([event]))
    try:
        with suppress(BadMessageError):
            protocol.decode(frame)
    finally:
        sys.setprofile(None)
    assert calls["call"] + calls["c_call"] < 3 * MAX_ELEMENTS


FRAMES = json.loads((Path(__file__).parents[2] / "vectors/codecs.json").read_text())


@pytest.mark.parametrize(("library", "value", "frame", "fault"), FRAMES)
def test_frames_of_other_libraries_are_read(
    library: str, value: list[Any], frame: str, fault: str
) -> None:
    """Frames that `python -m tests.codecs --record` has recorded."""
    if not fault:
        assert protocol.decode(bytes.fromhex(frame)) == protocol.decode(msgpack.packb(value))
        return
    with pytest.raises(BadMessageError) as error:
        protocol.decode(bytes.fromhex(frame))
    assert (library.split(maxsplit=1)[0], error.value.text) == ("lua-MessagePack", fault)


def test_a_text_frame_is_refused() -> None:
    with pytest.raises(BadMessageError, match="text frame"):
        protocol.decode(None)
