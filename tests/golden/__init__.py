"""Golden files of each release: what it stored, and what went over its wire.

`python -m tests.golden` writes them once, on the code of that release; `FILES` says which there
are. Every later release reads them.
"""

from __future__ import annotations

from pathlib import Path

RELEASES = Path(__file__).parents[1] / "vectors" / "releases"
"""One folder for each release, named by its version."""

CODE = "release.zip"
"""The code: unpacked and on `PYTHONPATH`, `python -P -m server` is a node of that release.

The fault suite's node, `tests.faults.node`, is part of it.
"""

STORE = "redis.jsonl"
"""All that Redis held, a key a line: `key`, `type` (as Redis says it), and `value`.

A stream's value is a list of `[id, [field, value, …]]`, a hash's an object, a sorted set's an
object of scores, and a string's a text. Times to live are left out.
"""

STATES = "states.json"
"""What that release made of the journals in its store: `attempts` and `rooms` by id."""

MESSAGES = "messages.jsonl"
"""Frames, the first of each kind: `sender`, `name` of the struct, `frame` in hexadecimal."""

RULES = "rules.json"
"""What `python -m engine rules` printed."""

FILES = (CODE, STORE, STATES, MESSAGES, RULES)


def releases() -> list[str]:
    """Return the versions of the releases of which there are golden files, in order."""
    return sorted(path.name for path in RELEASES.iterdir() if path.is_dir())
