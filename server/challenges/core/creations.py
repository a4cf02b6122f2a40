"""Creations of challenges: who or what makes one, which its id follows from. Pure.

Each type is a namespace of its own: no key that a client chooses is that of what the server makes.
"""

from __future__ import annotations

from typing import NamedTuple

from server.base.core.ids import ChallengeId, PlayerId


class ByPlayer(NamedTuple):
    """A player makes it, by a random key that the client repeats in a retry."""

    maker: PlayerId
    key: str


class ByLeague(NamedTuple):
    """The league of a circle makes it, in a turn: as many have been before."""

    circle: str
    turn: int


class RematchOf(NamedTuple):
    """It follows another one; there is one for all."""

    challenge: ChallengeId


Creation = ByPlayer | ByLeague | RematchOf
