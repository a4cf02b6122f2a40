"""Complaints: the errors found by the checker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SLACK = 2_500
"""Milliseconds of tolerance for a node's clock error and a message's delay together."""

Kind = Literal[
    "lost",  # acknowledged, but not stored
    "invented",  # stored, but never requested or not valid
    "gap",  # an entry is missing or replaced
    "mistimed",  # a time is too early or too late
    "leaked",  # cards were shown too early or to the wrong player
    "misreported",  # an event differs from the stored state
    "stale",  # an answer is older than an earlier acknowledgement
    "misranked",  # a result or a rank does not follow from the journals
    "unfinished",  # a due effect has not happened
    "stuck",  # a player could not finish
    "left",  # state of departed players remains
    "decided",  # another player decided a player's result
    "told",  # a secret reached a player without the code or the seat
    "kept out",  # a player was refused because others used up a quota
    "overfull",  # an address stores more than its quota
    "unpaid",  # a command did more work than it was charged for
    "broken",  # unexpected refusals, missing answers, logged errors
]


@dataclass(frozen=True, slots=True)
class Complaint:
    """An error: its kind, its subject, and a sentence."""

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
        """Complain about entry `seq`, or about an event that reports it."""
        self._complaints.append(Complaint(kind, f"{self._attempt} entry {seq}", text))
