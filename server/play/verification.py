"""Verification of stored attempts."""

from __future__ import annotations

from server.base.core.ids import AttemptId, split_attempt_id
from server.base.journals.findings import Findings
from server.deals.verification import DealChecks
from server.play.core import keys
from server.play.core.attempt import Attempt
from server.play.journal import steps_of


async def check_attempt(deals: DealChecks, name: str, found: Findings) -> None:
    """Fold an attempt's journal on its deal."""
    attempt = AttemptId(name)
    parts = split_attempt_id(attempt)
    texts = await found.texts(keys.attempt(attempt), name)
    deal = await deals.deal_of(parts[0], found) if parts is not None else None
    if deal is None:
        found.note("Attempts without a deal that can be opened", name)
        return

    def folded() -> Attempt:
        *_, last = steps_of(deal, None, texts)
        return last.after

    if texts:
        found.fold(name, folded)
