"""Due items: their text form in Redis."""

from __future__ import annotations

import pytest

from server.base.core.due import Due, parse_due
from server.base.core.ids import attempt_id
from server.base.outbound.core.due import PostDue
from server.notifications.core.keys import ReminderDue
from server.play.core.keys import AttemptDue
from server.rooms.core.keys import RoundDue
from tests.builders import ADA, CODE, DEAL

KINDS = (AttemptDue, RoundDue, PostDue, ReminderDue)


@pytest.mark.parametrize(
    ("due", "name", "member"),
    [
        (RoundDue(CODE), "H7KQ2", "r:H7KQ2"),
        (
            AttemptDue(attempt_id(DEAL, ADA)),
            "dea1000000000000.ada0000000000000",
            "a:dea1000000000000.ada0000000000000",
        ),
        (PostDue("x/1"), "x/1", "p:x/1"),
        (ReminderDue(ADA), "ada0000000000000", "n:ada0000000000000"),
    ],
)
def test_the_text_form_of_a_deadline_is_stable(due: Due, name: str, member: str) -> None:
    assert (due.name, due.member) == (name, member)
    parsed = parse_due(member, {each.kind: each for each in KINDS})
    assert parsed == due


@pytest.mark.parametrize("member", ["", "d:20778", "R:H7KQ2", "A:H7KQ2"])
def test_a_newer_releases_kind_is_unknown(member: str) -> None:
    assert parse_due(member, {each.kind: each for each in KINDS}) is None
