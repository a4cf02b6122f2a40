"""Due items, each with its time, and how they stand in Redis: members of a sorted set."""

from __future__ import annotations

from typing import NamedTuple

from server.base.core.ids import AttemptId, ChallengeId, PlayerId, RoomCode


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


Due = RoundDue | AttemptDue | PostDue | ReminderDue | ChallengeDue


def parse_due(member: str) -> Due | None:
    """Return what a member stands for, or `None` if this version does not know its kind."""
    kind, _, name = member.partition(":")
    match kind:
        case "r":
            return RoundDue(RoomCode(name))
        case "a":
            return AttemptDue(AttemptId(name))
        case "p":
            return PostDue(name)
        case "n":
            return ReminderDue(PlayerId(name))
        case "c":
            return ChallengeDue(ChallengeId(name))
        case _:
            return None
