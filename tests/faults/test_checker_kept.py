"""The checker finds lost identities, and attempts kept too long or too briefly."""

from __future__ import annotations

import pytest

from server.base.core import days
from server.base.core.ids import attempt_id
from server.play.core import keys
from tests.builders import ADA
from tests.faults.checker import Verdict, _check_kept, check
from tests.faults.ledger import Ledger
from tests.faults.recording import DAY, TODAY, correct_recording
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
def test_an_identity_is_kept_as_acknowledged(
    asked: bool, told: bool, kept: bool, kinds: list[str]
) -> None:
    ledger, stored, verdict = Ledger(ADA), Stored(), Verdict()
    if asked:
        ledger.record_command({"type": "KeepRecoveryCode", "id": 1})
    if told:
        ledger.record_event({"type": "done", "re": 1})
    stored.players[ADA] = {"kept": "1"} if kept else {}
    _check_kept(ledger, stored, verdict)
    assert [complaint.kind for complaint in verdict.complaints] == kinds


DAILY = attempt_id(TODAY, ADA)
UNPLAYED = days.closes(DAY) + keys.UNPLAYED_LIFE_MS


@pytest.mark.parametrize(
    ("entries", "expiry", "due", "found"),
    [
        (None, None, False, False),
        (None, UNPLAYED, False, True),
        (None, None, True, True),
        (2, None, True, False),
        (2, None, False, True),
        (2, UNPLAYED, True, True),
        (2, 0, True, True),
        (1, UNPLAYED, False, False),
        (1, UNPLAYED, True, True),
        (1, None, False, True),
        (1, 0, False, True),
    ],
)
def test_played_attempts_are_kept_and_others_expire_soon(
    entries: int | None, expiry: int | None, due: bool, found: bool
) -> None:
    recording = correct_recording()
    stored = recording.stored
    stored.attempts[DAILY] = stored.attempts[DAILY][:entries]
    if expiry is not None:
        stored.expiries[DAILY] = expiry
    if due:
        stored.due[f"a:{DAILY}"] = days.closes(DAY)
    complaints = check(stored, list(recording.ledgers.values()), recording.at).complaints
    lives = ("its deadline is set", "kept ")
    assert found == any(c.about == DAILY and c.text.startswith(lives) for c in complaints)


@pytest.mark.parametrize(
    ("events", "at", "found"), [(1, UNPLAYED - 1, True), (1, UNPLAYED, False), (2, UNPLAYED, True)]
)
def test_only_an_unplayed_journal_may_have_expired(events: int, at: int, found: bool) -> None:
    recording, ledger = correct_recording(), Ledger(ADA)
    received = (line.message for line in recording.ledgers[ADA].events())
    for message in [each for each in received if each.get("attempt") == DAILY][:events]:
        ledger.record_event(message)
    complaints = check(Stored(deals=recording.stored.deals), [ledger], at).complaints
    assert found == any(c.text == "its journal does not exist" for c in complaints)
