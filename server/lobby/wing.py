"""The wing of matchmaking between strangers."""

from __future__ import annotations

from server.lobby import handlers, messages
from server.lobby.services import LobbyServices
from server.wing import Wing

WING = Wing(services=LobbyServices, messages=(messages,), handlers=(handlers,))
