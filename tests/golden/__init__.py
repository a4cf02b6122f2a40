"""Golden files: the stored data and messages of each release.

`python -m tests.golden` writes the `FILES` once, with the code of that release. The tests of every
later release read them.
"""

from __future__ import annotations

from pathlib import Path

RELEASES = Path(__file__).parents[1] / "vectors" / "releases"
"""One folder per release, named by its version."""

STORE = "redis.jsonl"
"""All keys of Redis, one a line: `key`, `type` (as Redis names it), and `value`.

A stream's value is a list of `[id, [field, value, …]]`, a hash's is an object, a sorted set's is an
object of scores, and a string's is a text. Times to live are left out.
"""

STATES = "states.json"
"""The states folded by the release: `attempts`, `rooms`, `challenges` and `circles` by id."""

MESSAGES = "messages.jsonl"
"""Frames, the first of each kind: `sender`, `name` of the struct, `frame` in hexadecimal."""

RULES = "rules.json"
"""The output of `python -m engine rules`."""

FILES = (STORE, STATES, MESSAGES, RULES)


def releases() -> list[str]:
    """Return the versions of the releases that have golden files, in order."""
    return sorted(path.name for path in RELEASES.iterdir() if path.is_dir())
