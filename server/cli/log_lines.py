"""Processors of structlog that keep log lines few, short and printable.

A client must not be able to fill the disk, hide important lines, or write to the operator's
terminal through the log. Control characters and changes of text direction are escaped, by `visible`
on a console and otherwise by JSON.
"""

from __future__ import annotations

import asyncio
import json
import math
import sys
import threading
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice
from typing import Any, Final

import structlog
from structlog.tracebacks import safe_str
from structlog.typing import EventDict

WINDOW: Final = 10.0  # seconds; lines of the same event are counted per window

# Maximum lines of one event in a window, by level. Three a second show what happens and that it
# continues. Errors have more, since each may differ. `debug` is for watching one player or a quiet
# node.
LINES: Final = {"debug": 3_000, "info": 30, "warning": 30, "error": 60, "critical": 60}

TRACEBACKS: Final = 6  # of one event in a window; further errors are logged without
MAX_KINDS: Final = 64  # events counted separately in a window; all others share a count
MAX_TEXT: Final = 256  # characters
MAX_ITEMS: Final = 16  # of a collection
MAX_FIELDS: Final = 32  # of a line
MAX_DEPTH: Final = 6  # of collections; exceptions take five levels
MAX_LINE: Final = 8_192  # bytes of a line as JSON; the exception comes last, so it is cut first
MAX_FRAMES: Final = 12  # per traceback; an exception and each of its causes have one

_FIRST = ("event", "level", "timestamp", "node", "worker")
_LAST = "exception"
_CUT = "…"
_INT_BITS = 64
_RIGHT_TO_LEFT = {"R", "AL", "AN"}

_LONGEST_ESCAPE = 12  # bytes of a character as JSON
_SEPARATORS = 4  # bytes of JSON around each value: a comma or colon with its space, brackets
_MARGIN = 256  # bytes in reserve, since the last value may exceed the rest


class Sampler:
    """Drops further lines of a frequent event, and later logs how many were dropped.

    The line `suppressed` names the event as `of` and the `count` of dropped lines. It is logged
    when the window ends or, without an event loop, before the next line. Dropping a line costs a
    fifth of writing it.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._counts: Counter[tuple[str, str]] = Counter()
        self._ends = 0.0
        self._lock = threading.Lock()
        self._timed_by: asyncio.AbstractEventLoop | None = None

    def __call__(self, logger: Any, method: str, event: EventDict) -> EventDict:
        """Pass an event on, or drop it."""
        if event["event"] == "suppressed":
            return event
        if self._now() >= self._ends:
            self.flush()
        kind = method, str(event.get("logger", event["event"]))[:MAX_TEXT]
        with self._lock:
            if kind not in self._counts and len(self._counts) >= MAX_KINDS:
                kind = method, "others"
            self._counts[kind] += 1
            count = self._counts[kind]
        if count > LINES[method]:
            self._flush_in_time()
            raise structlog.DropEvent
        if count > TRACEBACKS and (failure := failure_of(event)) is not None:
            del event["exc_info"]
            event["error"] = f"{type(failure).__name__}: {safe_str(failure)}"
        return event

    def flush(self) -> None:
        """Log the number of lines dropped in this window, and start a new one."""
        with self._lock:
            counts, self._counts = self._counts, Counter()
            self._ends = self._now() + WINDOW
        log = structlog.get_logger()
        for (method, of), count in counts.items():
            if count > LINES[method]:
                getattr(log, method)("suppressed", of=of, count=count - LINES[method])

    def _flush_in_time(self) -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        if self._timed_by is not loop:
            self._timed_by = loop
            loop.call_later(max(0.0, self._ends - self._now()), self._flush_on_time)

    def _flush_on_time(self) -> None:
        self._timed_by = None
        self.flush()


def failure_of(event: EventDict) -> BaseException | None:
    """Return the exception of a line, or `None`."""
    match event.get("exc_info"):
        case BaseException() as failure:
            return failure
        case (_, BaseException() as failure, _):
            return failure
        case True:
            return sys.exc_info()[1]
        case _:
            return None


class Bounds:
    """Shortens a line's texts and collections, and the line as a whole to `MAX_LINE` bytes.

    `clean` is applied to each text, and may expand a character to at most 11. Values that JSON
    cannot express are written as text, and bytes only as their number.
    """

    def __init__(self, clean: Callable[[str], str] = str) -> None:
        self._clean = clean

    def __call__(self, logger: Any, method: str, event: EventDict) -> EventDict:
        """Return the shortened line, its fields in order of importance."""
        rest = [name for name in event if name not in {*_FIRST, _LAST}]
        names = [*(name for name in _FIRST if name in event), *rest]
        kept = {name: event[name] for name in names[:MAX_FIELDS]}
        if _LAST in event:
            kept[_LAST] = event[_LAST]
        return _Line(self._clean).fields(kept, MAX_DEPTH)


class _Line:
    """A line being shortened, and the bytes of JSON it has left."""

    def __init__(self, clean: Callable[[str], str]) -> None:
        self._clean = clean
        self._left = MAX_LINE - _MARGIN

    def fields(self, items: Mapping[Any, object], depth: int) -> dict[str, Any]:
        """Return the items that fit, as fields."""
        found: dict[str, Any] = {}
        for name, value in items.items():
            if self._left <= 0:
                break
            shown = self._text(name if isinstance(name, str) else _repr(name))
            found[shown] = self._value(value, depth)
        return found

    def _value(self, value: object, depth: int) -> Any:
        self._left -= _SEPARATORS
        shown: Any
        match value:
            case None | bool():
                shown = self._short(value)
            case int() if value.bit_length() < _INT_BITS:
                shown = self._short(int(value))
            case int():
                shown = self._text(f"<integer of {value.bit_length()} bits>")
            case float() if math.isfinite(value):
                shown = self._short(float(value))
            case str():
                shown = self._text(value)
            case bytes() | bytearray():
                shown = self._text(f"<{len(value)} bytes>")
            case Mapping() if depth:
                shown = self.fields(dict(islice(value.items(), MAX_ITEMS)), depth - 1)
            case list() | tuple() | set() | frozenset() if depth:
                shown = self._items(value, depth - 1)
            case Mapping() | list() | tuple() | set() | frozenset():
                shown = self._text(_CUT)
            case _:
                shown = self._text(_repr(value))
        return shown

    def _short(self, value: float | None) -> float | None:
        self._left -= len(json.dumps(value))
        return value

    def _items(self, items: Collection[object], depth: int) -> list[Any]:
        found: list[Any] = []
        for item in islice(items, MAX_ITEMS):
            if self._left <= 0:
                break
            found.append(self._value(item, depth))
        return found if len(found) == len(items) else [*found, _CUT]

    def _text(self, text: str) -> str:
        """Shorten a text to the limit and to the space left."""
        most = max(0, min(MAX_TEXT, self._left // _LONGEST_ESCAPE))
        shown = text if len(text) <= most else f"{text[:most]}{_CUT} ({len(text)} characters)"
        shown = self._clean(shown)
        self._left -= len(json.dumps(shown))
        return shown


def _repr(value: object) -> str:
    try:
        return repr(value)
    except Exception as error:
        return f"<{type(value).__name__} without a repr: {type(error).__name__}>"


def visible(text: str) -> str:
    """Escape every character that a terminal would not display in place.

    These are unprintable characters (controls, line ends, invisible ones) and right-to-left
    letters, which would reorder the adjacent text.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(letter if _is_plain(letter) else _escaped(letter) for letter in text)


def _is_plain(letter: str) -> bool:
    return letter.isprintable() and unicodedata.bidirectional(letter) not in _RIGHT_TO_LEFT


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape", "surrogatepass").decode("ascii")


def exception_as_text(logger: Any, method: str, event: EventDict) -> EventDict:
    """Format a line's exception as text, with frames as `file:line in function`."""
    if isinstance(traces := event.get(_LAST), list):
        event[_LAST] = "\n".join(_trace_lines(traces))
    return event


def _trace_lines(traces: list[Any]) -> Iterator[str]:
    for trace in traces:
        if not isinstance(trace, dict):
            yield f"  {trace}"
            continue
        yield f"  {trace.get('exc_type')}: {trace.get('exc_value')}"
        for frame in trace.get("frames", ()):
            if isinstance(frame, dict):
                where = f"{frame.get('filename')}:{frame.get('lineno')}"
                yield f"    {where} in {frame.get('name')}"
        for group in trace.get("exceptions", ()):
            if isinstance(group, list):
                yield from _trace_lines(group)
