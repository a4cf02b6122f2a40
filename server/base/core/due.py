"""Due items and their encoding as members of a sorted set in Redis, scored by time."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from server.base.core.ids import AttemptId, ChallengeId, CircleId, PlayerId, RoomCode


class RoundDue(NamedTuple):
    """The deadline of a room's running round."""

    room: RoomCode

    @property
    def journal(self) -> str:
        """The name of the item's journal, which determines the partition."""
        return self.room

    @property
    def member(self) -> str:
        """The item's member in the sorted set."""
        return f"r:{self.room}"


class AttemptDue(NamedTuple):
    """The deadline of an attempt outside rooms."""

    attempt: AttemptId

    @property
    def journal(self) -> str:
        """The name of the item's journal, which determines the partition."""
        return self.attempt

    @property
    def member(self) -> str:
        """The item's member in the sorted set."""
        return f"a:{self.attempt}"


class PostDue(NamedTuple):
    """The next delivery attempt of an outbound post."""

    post: str

    @property
    def journal(self) -> str:
        """The name that determines the partition."""
        return self.post

    @property
    def member(self) -> str:
        """The item's member in the sorted set."""
        return f"p:{self.post}"


class ReminderDue(NamedTuple):
    """The time of a player's next reminder."""

    player: PlayerId

    @property
    def journal(self) -> str:
        """The name that determines the partition."""
        return self.player

    @property
    def member(self) -> str:
        """The item's member in the sorted set."""
        return f"n:{self.player}"


class ChallengeDue(NamedTuple):
    """The closing time of a challenge."""

    challenge: ChallengeId

    @property
    def journal(self) -> str:
        """The name of the item's journal, which determines the partition."""
        return self.challenge

    @property
    def member(self) -> str:
        """The item's member in the sorted set."""
        return f"c:{self.challenge}"


class CircleDue(NamedTuple):
    """The next scheduled action of a circle."""

    circle: CircleId

    @property
    def journal(self) -> str:
        """The name of the item's journal, which determines the partition."""
        return self.circle

    @property
    def member(self) -> str:
        """The item's member in the sorted set."""
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
    """Parse a member, or return `None` if this version does not know its kind."""
    kind, _, name = member.partition(":")
    make = _KINDS.get(kind)
    return None if make is None else make(name)
