"""The wing of the statistics of practice."""

from __future__ import annotations

from server.practice import handlers, messages
from server.practice.core.refusals import PracticeRefusals
from server.practice.services import PracticeServices
from server.wing import Wing

WING = Wing(
    services=PracticeServices,
    refusals=PracticeRefusals,
    messages=(messages,),
    is_rare=True,
    handlers=(handlers,),
)
