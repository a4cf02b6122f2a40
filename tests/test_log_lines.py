"""Log lines: their number, length, and content."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from hypothesis import given, settings
from hypothesis import strategies as st
from structlog.testing import LogCapture
from structlog.typing import EventDict, Processor

from server.cli.log_lines import (
    LINES,
    MAX_KINDS,
    MAX_LINE,
    MAX_TEXT,
    TRACEBACKS,
    WINDOW,
    Bounds,
    Sampler,
    exception_as_text,
    visible,
)
from tests.base.redis.servers import until
from tests.conftest import logging_restored
from tests.sizes import cases

CONSOLE_LINE = MAX_LINE + 256
"""Maximum length of a line on a console, in characters; some columns are padded."""


class Sampled:
    """A log behind a sampler, with a clock that stands still."""

    def __init__(self) -> None:
        self.now = 0.0
        self.sampler = Sampler(lambda: self.now)
        self.capture = LogCapture()
        structlog.configure(
            processors=[self.sampler, self.capture],
            wrapper_class=structlog.make_filtering_bound_logger("debug"),
        )
        self.log = structlog.get_logger()

    def found(self) -> list[Any]:
        """Return the lines written since the last call."""
        found, self.capture.entries[:] = list(self.capture.entries), []
        return found


@pytest.fixture
def sampled() -> Iterator[Sampled]:
    with logging_restored():
        yield Sampled()


def test_lines_of_an_event_beyond_the_limit_are_counted(sampled: Sampled) -> None:
    for _ in range(LINES["info"] + 5):
        sampled.log.info("refused", origin="x")
        sampled.log.debug("looked_at")
    sampled.log.info("another")
    events = [line["event"] for line in sampled.found()]
    assert events.count("refused") == LINES["info"]
    assert events.count("looked_at") == LINES["info"] + 5
    assert events[-1] == "another"

    sampled.now += WINDOW
    sampled.log.info("refused")
    told, again = sampled.found()
    assert told == {"event": "suppressed", "of": "refused", "count": 5, "log_level": "info"}
    assert again["event"] == "refused"
    sampled.sampler.flush()
    assert sampled.found() == []


async def test_a_count_is_logged_at_the_end_of_its_window(sampled: Sampled) -> None:
    sampled.sampler.flush()
    sampled.now = WINDOW - 0.001
    for _ in range(LINES["warning"] + 2):
        sampled.log.warning("flood")
    await until(lambda: sampled.capture.entries[-1]["event"] == "suppressed")
    assert sampled.found()[-1]["count"] == 2


def test_further_errors_of_a_kind_are_logged_without_tracebacks(sampled: Sampled) -> None:
    for number in range(TRACEBACKS + 3):
        sampled.log.error("failed", exc_info=ValueError(number))
    lines = sampled.found()
    assert [line["event"] for line in lines] == ["failed"] * (TRACEBACKS + 3)
    assert ["exc_info" in line for line in lines] == [True] * TRACEBACKS + [False] * 3
    assert lines[-1]["error"] == f"ValueError: {TRACEBACKS + 2}"


def test_all_records_of_a_library_count_as_one_kind(sampled: Sampled) -> None:
    for number in range(LINES["warning"] + 9):
        sampled.log.warning(f"odd request {number}", logger="library")
    assert len(sampled.found()) == LINES["warning"]


def test_the_table_of_kinds_is_bounded(sampled: Sampled) -> None:
    for number in range(MAX_KINDS + 10 * LINES["info"]):
        sampled.log.info(f"kind {number}")
    assert len(sampled.found()) == MAX_KINDS + LINES["info"]
    assert len(sampled.sampler._counts) == MAX_KINDS + 1


def as_json(event: EventDict) -> str:
    """Render a line as `configure` does without a terminal."""
    processors: list[Processor] = [Bounds(), structlog.processors.JSONRenderer()]
    return rendered(event, processors)


def on_console(event: EventDict) -> str:
    """Render a line as `configure` does for the console format in a pipe."""
    shown = structlog.dev.ConsoleRenderer(
        colors=False, exception_formatter=structlog.dev.plain_traceback
    )
    return rendered(event, [Bounds(visible), exception_as_text, shown])


def rendered(event: Any, processors: list[Processor]) -> str:
    for processor in processors:
        event = processor(None, "info", event)
    return str(event)


texts = (
    st.text(max_size=9)
    | st.text(min_size=1, max_size=3).map(lambda text: text * 150)
    | st.text(st.characters(categories=["Cc", "Cf", "Cs", "Zl", "So"]))
)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | texts
    | st.binary()
    | st.builds(object)
    | st.lists(texts, min_size=1, max_size=1).map(lambda items: items * 20),
    lambda inner: (
        st.lists(inner, max_size=8)
        | st.dictionaries(texts, inner, max_size=4)
        | st.frozensets(texts, max_size=3)
    ),
    max_leaves=6,
)
SPECIAL = {"exc_info", "exception", "stack", "level", "timestamp"}
names = texts.filter(lambda name: name not in SPECIAL)


@settings(max_examples=cases(15, 60), deadline=None)
@given(st.dictionaries(names, values, max_size=6), texts)
def test_any_event_is_a_printable_line_of_bounded_length(
    fields: dict[str, Any], event: str
) -> None:
    line = as_json({**fields, "event": event})
    assert line.isprintable()
    assert line.isascii()
    assert len(line) <= MAX_LINE
    assert isinstance(json.loads(line, parse_constant=pytest.fail), dict)

    shown = on_console({**fields, "event": event})
    assert shown.isprintable(), repr(shown)
    assert len(shown) <= CONSOLE_LINE


class Odd:
    """An object whose `repr` fails."""

    def __repr__(self) -> str:
        raise RuntimeError


def test_a_value_without_a_repr_is_named() -> None:
    fields: EventDict = {"many": 10**5_000, "odd": Odd(), "nan": math.nan, "secret": b"abc"}
    assert json.loads(as_json(fields)) == {
        "many": "<integer of 16610 bits>",
        "odd": "<Odd without a repr: RuntimeError>",
        "nan": "nan",
        "secret": "<3 bytes>",
    }


def test_many_long_texts_are_shortened_to_one_line() -> None:
    fields: dict[str, Any] = {f"field{number}": "\N{PILE OF POO}" * 9_000 for number in range(100)}
    assert MAX_LINE / 2 < len(as_json(fields | {"event": [fields, fields]})) <= MAX_LINE


def test_important_fields_come_first_and_are_kept() -> None:
    fields: dict[str, Any] = {f"field{number}": "x" * 9_000 for number in range(100)}
    line = json.loads(as_json(fields | {"node": "ab", "level": "info", "event": "much"}))
    assert list(line)[:3] == ["event", "level", "node"]
    assert line["field0"] == "x" * MAX_TEXT + "… (9000 characters)"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Zoë 山田", "Zoë 山田"),
        ("a\x1b[31mred\x07", "a\\x1b[31mred\\x07"),
        ("one\r\ntwo\u2028three\x85", "one\\r\\ntwo\\u2028three\\x85"),
        ("\u202eevil\u2066", "\\u202eevil\\u2066"),
        ("נעמי 5", "\\u05e0\\u05e2\\u05de\\u05d9 5"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_characters_that_move_or_hide_text_are_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown


def failing(depth: int) -> None:
    """Raise an exception with a long and hostile text and a cause, `depth` calls deep."""
    if depth:
        failing(depth - 1)
    try:
        int("\x1b[2J" + "x" * 100_000)
    except ValueError as error:
        raise ExceptionGroup("all", [RuntimeError("\x9b31m" * 999)] * 99) from error


def test_an_exception_is_bounded_and_escaped() -> None:
    transform = structlog.tracebacks.ExceptionDictTransformer(show_locals=False, max_frames=12)
    try:
        failing(300)
    except ExceptionGroup as error:
        found = transform((type(error), error, error.__traceback__))
    line = as_json({"event": "failed", "exception": found, "where": "here"})
    assert len(line) <= MAX_LINE
    assert json.loads(line)["exception"][0]["exc_type"] == "ExceptionGroup"
    shown = on_console({"event": "failed", "exception": found, "where": "here"})
    assert len(shown) <= CONSOLE_LINE
    assert all(part.isprintable() for part in shown.split("\n"))
    assert "where=here" in shown.split("\n")[0]
    assert re.search(r"test_log_lines.py:\d+ in failing$", shown, re.MULTILINE)
