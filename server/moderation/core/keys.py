"""Redis keys of the audit journal and of cases."""

from __future__ import annotations

AUDIT = "{audit}:acts"
"""Key of the audit journal: a stream of operators' acts, never trimmed."""

AUDITED = "{audit}:ids"
"""Key of the ids of the journal's acts: a set, so that each is appended once."""

LATEST_ACTS = "{audit}:latest"
"""Key of the latest act on each subject: a hash of time, id and JSON text."""

SUSPICIOUS = "{suspicious}:runs"
"""Key of suspicious runs: a sorted set by time in Unix milliseconds."""

SUSPICIONS = "{suspicious}:reasons"
"""Key of the reasons for suspicion: a hash of JSON by run."""

MAX_SUSPICIOUS = 5_000
"""Maximum number of suspicious runs; the oldest are dropped."""

REPORTED = "{suspicious}:reported"
"""Key of reported players and runs: a sorted set by time of last report in Unix milliseconds."""

REPORTS = "{suspicious}:reports"
"""Key of the reporters and their reasons: a hash of JSON by name in `REPORTED`."""

MAX_REPORTED = 5_000
"""Maximum number of reported players and runs; the least recently reported are dropped."""

CLOSED = "{suspicious}:closed"
"""Key of closed cases: a hash of JSON by name, dropped with the case."""

FOR_GOOD = {
    "audit": "acts of operators, which grow only by their own requests",
    "suspicious": "at most `MAX_SUSPICIOUS` runs, and `MAX_REPORTED` players and runs",
}
"""Kinds of keys that need not expire, with the reason; all other keys must expire."""
