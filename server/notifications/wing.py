"""The wing of notifications to players while no page is open."""

from __future__ import annotations

from server.notifications import handlers, messages
from server.notifications.core.refusals import NotificationRefusals
from server.notifications.services import NotificationServices
from server.wing import Wing

WING = Wing(
    services=NotificationServices,
    refusals=NotificationRefusals,
    messages=(messages,),
    is_rare=True,
    handlers=(handlers,),
)
