"""Identifiers that several wings use, each with a type so that the type checker keeps them apart.

An id of one wing is in its `core/`, such as `CircleId`, which only circles and moderation use.
"""

from __future__ import annotations

from typing import NewType

PlayerId = NewType("PlayerId", str)
DealId = NewType("DealId", str)
AttemptId = NewType("AttemptId", str)
RoomCode = NewType("RoomCode", str)
ChallengeId = NewType("ChallengeId", str)

Occasion = NewType("Occasion", str)
"""A reason to play a deal outside rooms and dailies: a kind, a colon and an id.

The wing that owns a kind of occasion registers it wherever a deal's occasion matters.
"""

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""The alphabet of random ids: Crockford's base 32 in lower case, without i, l, o and u."""

ID_LENGTH = 16
"""The length of random ids: 16 characters of 5 bits, or 80 bits."""

CODE_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""The alphabet of room codes, without look-alike characters such as I and 1, or O and 0."""

CODE_LENGTH = 8
"""The length of room codes: 40 bits.

A room's code is enough to take a seat in it, so only the cost of guessing keeps strangers out. A
guess hits one of R open rooms with a probability of R / 2**40. Per node and minute, an address may
guess wrong 6 times with the same players, or 56 times with 25 new players
(`server/base/net/limits.py`).

With 10,000 rooms open, an attacker who never stops finds some room within an hour with a
probability of 3.3 in a million (same players) or 31 in a million (new players). A thousand
addresses that guess on all of ten nodes find some room in 31 or 3.3 hours on average, and a given
room in 35 or 3.7 years.
"""


PACE_BOT = PlayerId("pacebt0000000000")
"""The pace bot: a player like any other, with a reserved id."""


BOT_START = "b0t000"
"""The prefix of the ids of players' bots, which marks them for all clients. 50 random bits follow.
"""


def has_owner(player: PlayerId) -> bool:
    """Return whether a player is a bot owned by another player."""
    return player.startswith(BOT_START)


def is_bot(player: PlayerId) -> bool:
    """Return whether a player is a program, and labelled as one: the pace bot or a player's bot.

    A bot's results stay in their room: they enter no history and therefore no leaderboard.
    """
    return player == PACE_BOT or has_owner(player)


def attempt_id(deal: DealId, player: PlayerId) -> AttemptId:
    """Return the id of a player's only attempt at a deal."""
    return AttemptId(f"{deal}.{player}")


def split_attempt_id(attempt: AttemptId) -> tuple[DealId, PlayerId] | None:
    """Split an attempt's id into deal and player, or return `None` if it is malformed."""
    deal, dot, player = attempt.partition(".")
    if not dot or not is_id(deal) or not is_id(player):
        return None
    return DealId(deal), PlayerId(player)


def is_id(text: str) -> bool:
    """Return whether `text` has the form of a random id."""
    return len(text) == ID_LENGTH and set(text).issubset(ALPHABET)


def is_code(text: str) -> bool:
    """Return whether `text` has the form of a room code."""
    return len(text) == CODE_LENGTH and set(text).issubset(CODE_ALPHABET)
