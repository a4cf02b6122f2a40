"""Errors in a node's log, including printed tracebacks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from tests.processes import ROOT


def errors(lines: Iterable[str], expected: Collection[str] = ()) -> list[str]:
    """Return each kind of error in a log once, with its number of occurrences.

    Args:
        expected: events and last lines of tracebacks to ignore.
    """
    counts: Counter[str] = Counter()
    for is_text, group in groupby(map(_parsed, lines), lambda line: isinstance(line, str)):
        if is_text:
            block = [str(line) for line in group]
            has_traceback = any(line.startswith("Traceback") for line in block)
            if has_traceback and block[-1] not in expected:
                counts[f"{block[0]} … {block[-1]}"] += 1
        else:
            counts.update(
                _described(event)
                for event in group
                if event["level"] == "error" and event["event"] not in expected
            )
    return [f"{count} times: {text}" for text, count in counts.items()]


def _parsed(line: str) -> Any:
    """Parse a log line; return the line itself if it is no event."""
    try:
        event = json.loads(line)
    except ValueError:
        return line
    return event if isinstance(event, dict) and "level" in event else line


def _described(event: dict[str, Any]) -> str:
    causes = [
        f"{each['exc_type']}: {each['exc_value']} at {', '.join(_places(each))}"
        for each in event.get("exception", [])
    ]
    message = f" ({event['message']})" if "message" in event else ""
    return " after ".join([f"{event['event']}{message}", *causes])


def _places(exception: dict[str, Any]) -> Iterator[str]:
    """Yield the place of an exception, then its frames in this repository."""
    frames = exception["frames"][::-1]
    for frame in frames:
        path = Path(frame["filename"])
        if frame is frames[0] or (path.is_relative_to(ROOT) and ".venv" not in path.parts):
            yield f"{path.name}:{frame['lineno']}"
