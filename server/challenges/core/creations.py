"""The origins of challenges, which determine their ids.

Each type has its own namespace, so a key chosen by a client cannot collide with one of the server.
"""

from __future__ import annotations

from typing import NamedTuple

from server.base.core.ids import ChallengeId, PlayerId


class ByPlayer(NamedTuple):
    """Created by a player, with a random key that the client repeats in a retry."""

    creator: PlayerId
    key: str


class ByLeague(NamedTuple):
    """Created by a circle's league in a turn, counted from 0."""

    circle: str
    turn: int


class RematchOf(NamedTuple):
    """Created as the only rematch of another challenge."""

    challenge: ChallengeId


Creation = ByPlayer | ByLeague | RematchOf
