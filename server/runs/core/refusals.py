"""The refusals of runs."""

from __future__ import annotations

from server.base.core.refusal import RefusalCode


class RunRefusals(RefusalCode):
    """The refusals of runs."""

    deal_open = "This deal is still being played. Its runs become visible when it closes."
