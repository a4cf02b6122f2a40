"""Due items, each with its time, and how they stand in Redis: members of a sorted set."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from server.base.core.ids import AttemptId, ChallengeId, CircleId, PlayerId, RoomCode


class RoundDue(NamedTuple):
    """The deadline of the round that is running in a room."""

    room: RoomCode

    @property
    def journal(self) -> str:
        """The name of the journal that it belongs to, which says its partition."""
        return self.room

    @property
    def member(self) -> str:
        """The text that stands for it."""
        return f"r:{self.room}"


class AttemptDue(NamedTuple):
    """The deadline of an attempt that is in no room."""

    attempt: AttemptId

    @property
    def journal(self) -> str:
        """The name of the journal that it belongs to, which says its partition."""
        return self.attempt

    @property
    def member(self) -> str:
        """The text that stands for it."""
        return f"a:{self.attempt}"


class PostDue(NamedTuple):
    """The next try of something that is posted to a server of others."""

    post: str

    @property
    def journal(self) -> str:
        """The name that says its partition."""
        return self.post

    @property
    def member(self) -> str:
        """The text that stands for it."""
        return f"p:{self.post}"


class ReminderDue(NamedTuple):
    """The next time at which a player asked to be reminded."""

    player: PlayerId

    @property
    def journal(self) -> str:
        """The name that says its partition."""
        return self.player

    @property
    def member(self) -> str:
        """The text that stands for it."""
        return f"n:{self.player}"


class ChallengeDue(NamedTuple):
    """The date by which a challenge closes."""

    challenge: ChallengeId

    @property
    def journal(self) -> str:
        """The name of the journal that it belongs to, which says its partition."""
        return self.challenge

    @property
    def member(self) -> str:
        """The text that stands for it."""
        return f"c:{self.challenge}"


class CircleDue(NamedTuple):
    """The next thing that a circle is to do by itself."""

    circle: CircleId

    @property
    def journal(self) -> str:
        """The name of the journal that it belongs to, which says its partition."""
        return self.circle

    @property
    def member(self) -> str:
        """The text that stands for it."""
        return f"g:{self.circle}"


Due = RoundDue | AttemptDue | PostDue | ReminderDue | ChallengeDue | CircleDue


_KINDS: dict[str, Callable[[str], Due]] = {
    "r": lambda name: RoundDue(RoomCode(name)),
    "a": lambda name: AttemptDue(AttemptId(name)),
    "p": PostDue,
    "n": lambda name: ReminderDue(PlayerId(name)),
    "c": lambda name: ChallengeDue(ChallengeId(name)),
    "g": lambda name: CircleDue(CircleId(name)),
}


def parse_due(member: str) -> Due | None:
    """Return what a member stands for, or `None` if this version does not know its kind."""
    kind, _, name = member.partition(":")
    make = _KINDS.get(kind)
    return None if make is None else make(name)
