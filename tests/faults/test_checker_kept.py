"""The checker finds identities that were lost or invented, and rows in the wrong group."""

from __future__ import annotations

import pytest

from server.core.daily import DailyId, closes
from tests.core.builders import ADA
from tests.faults.checker import Verdict, _check_kept
from tests.faults.ledger import Ledger
from tests.faults.stored import Stored

BOARD = DailyId("robert", 20_000)
BEFORE, AFTER = closes(BOARD.day) - 1, closes(BOARD.day)


@pytest.mark.parametrize(
    ("asked", "told", "since", "ranked", "kinds"),
    [
        (True, True, BEFORE, True, []),
        (True, False, None, False, []),
        (True, False, BEFORE, True, []),
        (True, True, AFTER, False, []),
        (True, True, None, False, ["lost"]),
        (False, False, BEFORE, True, ["invented"]),
        (True, True, BEFORE, False, ["misranked"]),
        (False, False, None, True, ["misranked"]),
    ],
)
def test_an_identity_is_kept_as_the_player_was_told(
    asked: bool, told: bool, since: int | None, ranked: bool, kinds: list[str]
) -> None:
    ledger, stored, verdict = Ledger(ADA), Stored(), Verdict()
    if asked:
        ledger.record_command({"type": "NewRecoveryCode", "id": 1})
    if told:
        ledger.record_event({"type": "RecoveryCode", "re": 1, "code": "K3MQ"})
    stored.players[ADA] = {} if since is None else {"kept": str(since)}
    stored.add_rows(["leaderboard", BOARD.game, str(BOARD.day), *["ranked"] * ranked], [(ADA, 1.0)])
    _check_kept(ledger, stored, verdict)
    assert [complaint.kind for complaint in verdict.complaints] == kinds
