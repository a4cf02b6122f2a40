"""The wing of one deal shared by link, played by each participant at any time."""

from __future__ import annotations

from server.challenges import api, handlers, messages
from server.challenges.core.refusals import ChallengeRefusals
from server.challenges.services import ChallengeServices
from server.wing import Wing

WING = Wing(
    services=ChallengeServices,
    refusals=ChallengeRefusals,
    messages=(messages,),
    is_rare=True,
    handlers=(handlers,),
    api=(api,),
)
