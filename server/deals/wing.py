"""The wing of deals, and their certificates."""

from __future__ import annotations

from server.deals.core.certificate import Certificate
from server.deals.services import DealServices
from server.wing import Wing

WING = Wing(services=DealServices, answers=(Certificate,))
