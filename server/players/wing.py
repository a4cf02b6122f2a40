"""The wing of players: identity, names, sessions."""

from __future__ import annotations

from server.players import api, handlers
from server.players.services import PlayerServices
from server.wing import Wing


class PlayersWing(PlayerServices):
    """Players: identity, names, sessions."""

    wing = Wing(handlers=(handlers,), api=(api,))
