"""What a check has to say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SLACK = 2_500
"""Milliseconds by which a node may be wrong about the time, and a little for the way."""

Kind = Literal[
    "lost",  # what was acknowledged does not stand
    "invented",  # what stands was asked for by nobody, or could not be decided
    "gap",  # an entry is missing, or there are others in its place
    "mistimed",  # a time is not that of what happened
    "leaked",  # cards were shown before they might be
    "misreported",  # what was told is not what stands
    "stale",  # what was told is older than what had been acknowledged
    "misranked",  # a result or a rank is not what the journals make it
    "unfinished",  # something that had to happen has not
    "stuck",  # a player got no further
    "broken",  # the server says so itself
]


@dataclass(frozen=True, slots=True)
class Complaint:
    """One thing that is wrong: of what kind, about what, and why."""

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
        """Complain of entry `seq`, or of what was told of it."""
        self._complaints.append(Complaint(kind, f"{self._attempt} entry {seq}", text))
