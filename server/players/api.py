"""Players, as answers of the HTTP interface name them."""

from __future__ import annotations

from msgspec import Struct

from server.players.core.names import Profile


class Player(Struct, frozen=True):
    """A player's public profile.

    Attributes:
        id: public, and no credential.
        name: as the player chose it; several players may have the same one.
        tag: the end of the id, which tells players of one name apart and never changes.
        bot: whether it is a program, and is to be labelled as one: the pace bot, or a player's bot.
    """

    id: str
    name: str
    tag: str
    bot: bool = False

    @classmethod
    def of(cls, profile: Profile) -> Player:
        """Return what is public of a profile."""
        return cls(profile.id, profile.name, profile.tag, profile.is_bot)
