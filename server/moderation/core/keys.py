"""Keys in Redis of what operators do and look at."""

from __future__ import annotations

AUDIT = "{audit}:acts"
"""The key of the audit journal: a stream of what operators have done, which is never trimmed."""

AUDITED = "{audit}:ids"
"""The key of the ids of all acts in it: a set, so that each is appended once."""

LATEST_ACTS = "{audit}:latest"
"""The key of the latest act on each subject: a hash of time, id and text (JSON)."""

SUSPICIOUS = "{suspicious}:runs"
"""The key of the runs that an operator should look at: a sorted set by time in Unix ms."""

SUSPICIONS = "{suspicious}:reasons"
"""The key of what is suspicious about them: a hash of JSON by attempt."""

MAX_SUSPICIOUS = 5_000
"""Runs that are kept there; the oldest are dropped."""

FOR_GOOD = {
    "audit": "what operators have done, by their own hand",
    "suspicious": "at most `MAX_SUSPICIOUS` runs",
}
"""The kinds of keys that need not expire, and why; all others do, whoever writes them."""
