"""Identifiers, each of a type of its own, so that type checking tells them apart."""

from __future__ import annotations

from typing import NewType

PlayerId = NewType("PlayerId", str)
DealId = NewType("DealId", str)
AttemptId = NewType("AttemptId", str)
RoomCode = NewType("RoomCode", str)
ChallengeId = NewType("ChallengeId", str)
CircleId = NewType("CircleId", str)

Occasion = NewType("Occasion", str)
"""An occasion for which a deal is played, neither a room nor a daily: a kind, a colon, an id.

The wing that has such occasions registers their kind where it matters what a deal is played for."""

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""The alphabet of random ids: Crockford's base 32 in lower case, without i, l, o and u."""

ID_LENGTH = 16
"""The length of random ids: 16 characters of 5 bits are 80 bits."""

CODE_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""The alphabet of room codes: no characters that look alike, such as I and 1 or O and 0."""

CODE_LENGTH = 8
"""The length of room codes: 40 bits.

Who has a room's code may take a seat in it, so what keeps strangers out is the cost of guessing. A
guess finds one of R open rooms with a probability of R / 2**40. An address may be wrong six times a
minute on a node when it goes on with the same players, and 56 times if it has 25 new ones a minute
(`server/base/net/limits.py`). With 10,000 rooms open, somebody who never stops finds any one of
them in an hour with a probability of 3.3 or 31 in a million; a thousand addresses, on ten nodes
each, find one in 31 or 3.3 hours, and a given one in 35 or 3.7 years.
"""


PACE_BOT = PlayerId("pacebt0000000000")
"""The pace bot, a player like others but for its name; nobody else can have this id."""


BOT_START = "b0t000"
"""The start of the ids of players' bots, by which everybody knows them; 50 random bits follow."""


def has_owner(player: PlayerId) -> bool:
    """Return whether a player is a bot that another player answers for."""
    return player.startswith(BOT_START)


def is_bot(player: PlayerId) -> bool:
    """Return whether a player is a program, and is labelled so: the pace bot, or a player's bot.

    What a bot does in a room stays there: it is in no history, and so on no leaderboard.
    """
    return player == PACE_BOT or has_owner(player)


def attempt_id(deal: DealId, player: PlayerId) -> AttemptId:
    """Return the id of a player's attempt at a deal; there is at most one."""
    return AttemptId(f"{deal}.{player}")


def split_attempt_id(attempt: AttemptId) -> tuple[DealId, PlayerId] | None:
    """Return the deal and the player of an attempt's id, or `None` if it is malformed."""
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
