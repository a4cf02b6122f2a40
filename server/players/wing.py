"""The wing of players: identity, names, sessions."""

from __future__ import annotations

from server.players import api, handlers
from server.players.core.refusals import PlayerRefusals
from server.players.services import PlayerServices
from server.wing import Wing

WING = Wing(services=PlayerServices, refusals=PlayerRefusals, handlers=(handlers,), api=(api,))
