"""The wing of operators' views and actions, and players' reports."""

from __future__ import annotations

from server.moderation import handlers, messages, operator_handlers, operator_messages
from server.moderation.core.refusals import ModerationRefusals
from server.moderation.services import ModerationServices
from server.wing import Wing

WING = Wing(
    services=ModerationServices,
    refusals=ModerationRefusals,
    messages=(messages, operator_messages),
    is_rare=True,
    handlers=(handlers, operator_handlers),
)
