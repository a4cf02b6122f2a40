"""Golden files: the stored data and messages of each release.

`python -m tests.golden` writes the `FILES` once, with the code of that release. The tests of every
later release read them.
"""

from __future__ import annotations

from pathlib import Path

RELEASES = Path(__file__).parents[1] / "vectors" / "releases"
"""One folder per release, named by its version."""

STORE = "store.jsonl"
"""All keys of Redis, one a line: `[key, type, value]`, with the type as Redis names it.

A stream's value is the list of its entries, a hash's is an object, a sorted set's is an object of
scores, and a string's is a text. Times to live are left out.
"""

STATES = "states.jsonl"
"""The states folded from the release's journals, one a line: `[kind, id, state]`."""

MESSAGES = "messages.txt"
"""Frames, the first of each kind: sender, name of the struct, and frame in hexadecimal."""

FILES = (STORE, STATES, MESSAGES)


def releases() -> list[str]:
    return sorted(path.name for path in RELEASES.iterdir() if path.is_dir())
