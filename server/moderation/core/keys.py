"""Redis keys of the audit journal and of cases."""

from __future__ import annotations

AUDIT = "{audit}:acts"  # The audit journal: a stream of operators' acts, never trimmed.
AUDITED = "{audit}:ids"  # The ids of the journal's acts: a set, so that each is appended once.
LATEST_ACTS = "{audit}:latest"  # The latest act on each subject: a hash of time, id and JSON text.
SUSPICIOUS = "{suspicious}:runs"  # Suspicious runs: a sorted set by time in Unix milliseconds.
SUSPICIONS = "{suspicious}:reasons"  # The reasons for suspicion: a hash of JSON by run.
MAX_SUSPICIOUS = 5_000  # suspicious runs; the oldest are dropped

# Reported players and runs: a sorted set by time of last report in Unix milliseconds.
REPORTED = "{suspicious}:reported"

# The reporters and their reasons: a hash of JSON by name in `REPORTED`.
REPORTS = "{suspicious}:reports"

MAX_REPORTED = 5_000  # reported players and runs; the least recently reported are dropped
CLOSED = "{suspicious}:closed"  # Closed cases: a hash of JSON by name, dropped with the case.

# Kinds of keys that need not expire, with the reason; all other keys must expire.
PERMANENT = {
    "audit": "acts of operators, which grow only by their own requests",
    "suspicious": "at most `MAX_SUSPICIOUS` runs, and `MAX_REPORTED` players and runs",
}
