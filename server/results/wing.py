"""The wing of consequences of completed attempts."""

from __future__ import annotations

from server.results import api, handlers, messages, players_api
from server.results.services import ResultServices
from server.wing import Wing


class ResultsWing(ResultServices):
    """Consequences of completed attempts."""

    wing = Wing(messages=(messages,), handlers=(handlers,), api=(api, players_api))
