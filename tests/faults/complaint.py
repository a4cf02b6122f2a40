"""Complaints: what the checker found wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SLACK = 2_500
"""Milliseconds by which a node's clock may be wrong, and a message late, together."""

Kind = Literal[
    "lost",  # what was acknowledged is not stored
    "invented",  # what is stored was requested by nobody, or is not valid
    "gap",  # an entry is missing, or there are others in its place
    "mistimed",  # a time is too early or too late
    "leaked",  # cards were shown too early, or to who may not see them
    "misreported",  # an event differs from what is stored
    "stale",  # an answer is older than what had been acknowledged before
    "misranked",  # a result or a rank does not follow from the journals
    "unfinished",  # something due has not been done
    "stuck",  # a player could not finish
    "left",  # something is kept of those who have left
    "decided",  # what counts for players was decided by somebody else
    "told",  # somebody was told what only those are told who have a code or a seat
    "kept out",  # somebody was refused what others had used up
    "overfull",  # more is stored for an address than its quota
    "unpaid",  # a command did more work than what was charged for it
    "broken",  # unexpected refusals, missing answers, logged errors
]


@dataclass(frozen=True, slots=True)
class Complaint:
    """One thing that is wrong: its kind, its subject, and a sentence."""

    kind: Kind
    about: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.about}: {self.text}"


class Complaints:
    """Complaints about one attempt."""

    def __init__(self, attempt: str, complaints: list[Complaint]) -> None:
        self._attempt = attempt
        self._complaints = complaints

    def add(self, kind: Kind, seq: int, text: str) -> None:
        """Complain of entry `seq`, or of an event about it."""
        self._complaints.append(Complaint(kind, f"{self._attempt} entry {seq}", text))
