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

REPORTED = "{suspicious}:reported"
"""The key of what players have reported: a sorted set by the time of the last report in Unix ms."""

REPORTS = "{suspicious}:reports"
"""The key of who has reported it, and as what: a hash of JSON by its name in `REPORTED`."""

MAX_REPORTED = 5_000
"""Players and runs that are kept there; those that were reported longest ago are dropped."""

CLOSED = "{suspicious}:closed"
"""The key of what operators have closed of both: a hash of JSON by name, dropped with the rest."""

FOR_GOOD = {
    "audit": "what operators have done, by their own hand",
    "suspicious": "at most `MAX_SUSPICIOUS` runs, and `MAX_REPORTED` players and runs",
}
"""The kinds of keys that need not expire, and why; all others do, whoever writes them."""
