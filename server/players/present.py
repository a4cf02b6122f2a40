"""Conversion of players to messages."""

from __future__ import annotations

from server.base.wire.messages import Player
from server.players.core.names import Profile


def player(profile: Profile) -> Player:
    """Return a player's public profile."""
    return Player(id=profile.id, name=profile.name, tag=profile.tag, bot=profile.is_bot)
