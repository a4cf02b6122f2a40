"""Players in responses of the HTTP API."""

from __future__ import annotations

from msgspec import Struct

from server.players.core.names import Profile


class Player(Struct, frozen=True):
    """A player's public profile.

    Attributes:
        id: public; not a credential.
        name: chosen by the player and not unique.
        tag: the end of the id, which never changes and tells apart players of the same name.
        bot: whether to label the player as a program: the pace bot, or a player's bot.
    """

    id: str
    name: str
    tag: str
    bot: bool = False

    @classmethod
    def of(cls, profile: Profile) -> Player:
        """Return the public part of a profile."""
        return cls(profile.id, profile.name, profile.tag, profile.is_bot)
