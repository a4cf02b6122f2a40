"""The checker finds identities that were lost or invented."""

from __future__ import annotations

import pytest

from tests.core.builders import ADA
from tests.faults.checker import Verdict, _check_kept
from tests.faults.ledger import Ledger
from tests.faults.stored import Stored


@pytest.mark.parametrize(
    ("asked", "told", "kept", "kinds"),
    [
        (True, True, True, []),
        (True, False, False, []),
        (True, False, True, []),
        (True, True, False, ["lost"]),
        (False, False, True, ["invented"]),
    ],
)
def test_an_identity_is_kept_as_the_player_was_told(
    asked: bool, told: bool, kept: bool, kinds: list[str]
) -> None:
    ledger, stored, verdict = Ledger(ADA), Stored(), Verdict()
    if asked:
        ledger.record_command({"type": "NewRecoveryCode", "id": 1})
    if told:
        ledger.record_event({"type": "RecoveryCode", "re": 1, "code": "K3MQ"})
    stored.players[ADA] = {"kept": "1"} if kept else {}
    _check_kept(ledger, stored, verdict)
    assert [complaint.kind for complaint in verdict.complaints] == kinds
