"""What the answers of several subjects share."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from server.base.core.days import Level
from server.deals.core import certificate
from server.players.core.names import Profile

Date = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]
"""A UTC day in ISO 8601."""

Hex = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]
"""32 bytes in hexadecimal."""

Count = Annotated[int, Meta(ge=0)]

End = Literal["won", "stuck", "resigned", "time"]
"""Why a run ended. `time`: it ran out of time."""


class Player(Struct, frozen=True):
    """A player's public profile.

    Attributes:
        id: public, and no credential.
        name: as the player chose it; several players may have the same one.
        tag: four characters that tell players of one name apart; they never change.
    """

    id: str
    name: str
    tag: str

    @classmethod
    def of(cls, profile: Profile) -> Player:
        """Return what is public of a profile."""
        return cls(profile.id, profile.name, profile.tag)


class Certificate(Struct, frozen=True):
    """What was proved of a daily's deal before anybody could play it.

    Attributes:
        winnable: whether it can be won.
        par: the moves of the line that wins it; if it cannot be won, the most cards that can come
            home.
        level: how hard it is among the certified deals of its game: 1 easy, 2 medium, 3 hard.
    """

    winnable: bool
    par: Count
    level: Level

    @classmethod
    def of(cls, found: certificate.Certificate | None) -> Certificate | None:
        """Return what was proved of a deal, if anything."""
        return None if found is None else cls(found.winnable, found.par, found.level)


def moves_of(line: str | None) -> list[str] | None:
    """Return the moves of the line that proves a closed deal's certificate, if there is one."""
    return None if line is None else line.split()


class Problem(Struct, frozen=True):
    """Why a request was refused.

    Attributes:
        code: one of a fixed list.
        text: a sentence for people.
    """

    code: str
    text: str
