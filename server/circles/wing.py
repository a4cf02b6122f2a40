"""The wing of lasting groups and their tables."""

from __future__ import annotations

from server.circles import handlers, messages
from server.circles.services import CircleServices
from server.wing import Wing


class CirclesWing(CircleServices):
    """Lasting groups and their tables."""

    wing = Wing(messages=(messages,), is_rare=True, handlers=(handlers,))
