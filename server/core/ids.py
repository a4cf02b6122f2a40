"""Identifiers, one type each, so that they cannot be taken for one another."""

from __future__ import annotations

from typing import NewType

PlayerId = NewType("PlayerId", str)
DealId = NewType("DealId", str)
AttemptId = NewType("AttemptId", str)
RoomCode = NewType("RoomCode", str)

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""The letters of random ids: Crockford's base 32, without i, l, o and u."""

ID_LENGTH = 16
"""16 letters are 80 bits."""

CODE_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""The letters of room codes: none that is easily taken for another."""

CODE_LENGTH = 5


def attempt_id(deal: DealId, player: PlayerId) -> AttemptId:
    """Return the id of a player's one attempt at a deal."""
    return AttemptId(f"{deal}.{player}")


def split_attempt_id(attempt: AttemptId) -> tuple[DealId, PlayerId] | None:
    """Return the deal and the player of an attempt, or `None` if it is no such id."""
    deal, dot, player = attempt.partition(".")
    if not dot or not is_id(deal) or not is_id(player):
        return None
    return DealId(deal), PlayerId(player)


def is_id(text: str) -> bool:
    """Return whether a text has the form of a random id."""
    return len(text) == ID_LENGTH and set(text) <= set(ALPHABET)


def is_code(text: str) -> bool:
    """Return whether a text has the form of a room code."""
    return len(text) == CODE_LENGTH and set(text) <= set(CODE_ALPHABET)
