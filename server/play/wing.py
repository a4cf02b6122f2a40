"""The wing of one attempt at a deal: moves, undo, hints, its end."""

from __future__ import annotations

from server.play import api, handlers, messages
from server.play.core.refusals import PlayRefusals
from server.play.core.run import FileResult, RunFile, Runner
from server.play.services import PlayServices
from server.wing import Wing

WING = Wing(
    services=PlayServices,
    refusals=PlayRefusals,
    messages=(messages,),
    handlers=(handlers,),
    api=(api,),
    answers=(Runner, FileResult, RunFile),
)
