"""The wing of lasting groups and their tables."""

from __future__ import annotations

from server.circles import handlers, messages
from server.circles.core.refusals import CircleRefusals
from server.circles.services import CircleServices
from server.wing import Wing

WING = Wing(
    services=CircleServices,
    refusals=CircleRefusals,
    messages=(messages,),
    is_rare=True,
    handlers=(handlers,),
)
