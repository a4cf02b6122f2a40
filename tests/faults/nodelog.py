"""What went wrong in a node by its own account: errors that it logged, and tracebacks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from tests.processes import ROOT


def errors(lines: Iterable[str]) -> list[str]:
    """Return each kind of error in a log once, with how often it stands there."""
    counts: Counter[str] = Counter()
    for is_text, group in groupby(map(_parsed, lines), lambda line: isinstance(line, str)):
        if is_text:
            block = [str(line) for line in group]
            if any(line.startswith("Traceback") for line in block):
                counts[f"{block[0]} … {block[-1]}"] += 1
        else:
            counts.update(_told(event) for event in group if event["level"] == "error")
    return [f"{count} times: {text}" for text, count in counts.items()]


def _parsed(line: str) -> Any:
    """Return a log line as what it says, and what is no log line as it is."""
    try:
        event = json.loads(line)
    except ValueError:
        return line
    return event if isinstance(event, dict) and "level" in event else line


def _told(event: dict[str, Any]) -> str:
    """Return an error in a line: what, of which exception, and where, the last places first."""
    whats = [
        f"{each['exc_type']}: {each['exc_value']} at {', '.join(_places(each))}"
        for each in event.get("exception", [])
    ]
    return " after ".join([str(event["event"]), *whats])


def _places(exception: dict[str, Any]) -> Iterator[str]:
    """Yield where in this repository an exception passed, and where it came from."""
    frames = exception["frames"][::-1]
    for frame in frames:
        path = Path(frame["filename"])
        if frame is frames[0] or (path.is_relative_to(ROOT) and ".venv" not in path.parts):
            yield f"{path.name}:{frame['lineno']}"
