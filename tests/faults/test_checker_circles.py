"""The checker finds errors in an otherwise correct recording of a circle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from server.circles.core import commands
from server.circles.core.circle import Circle, fold
from server.circles.core.events import Event, Founded, Joined, Left
from tests.builders import ADA, BOB, CYD, START
from tests.circles.core.circles import CIRCLE, SECRET
from tests.faults.circles import CircleChecks
from tests.faults.commands import CommandIndex
from tests.faults.complaint import Complaint
from tests.faults.ledger import Ledger, Message
from tests.faults.stored import Stored


@dataclass
class Recording:
    """A circle founded by Ada and joined by Bob. Cyd joined and left."""

    stored: Stored = field(default_factory=Stored)
    ledgers: dict[str, Ledger] = field(
        default_factory=lambda: {player: Ledger(player) for player in (ADA, BOB, CYD)}
    )
    state: Circle | None = None
    numbers: int = 0

    def append(self, event: Event | None) -> Circle:
        """Append an entry."""
        assert event is not None
        self.state = fold(self.state, event)
        text = msgspec.json.encode(event).decode()
        self.stored.circles.setdefault(CIRCLE, []).append((f"0-{self.state.version}", text))
        return self.state

    def send(self, player: str, type_: str, at: int, **fields: Any) -> None:
        """Record a player's command."""
        self.numbers += 1
        command = {"type": type_, "id": self.numbers, **fields}
        self.ledgers[player].record_command(command, at)

    def shown(self, **changes: Any) -> Message:
        """Return the circle in its members' view."""
        assert self.state is not None
        members = [{"player": {"id": each}, "since": START} for each in self.state.players]
        return {
            "type": "Circle",
            "circle": CIRCLE,
            "version": self.state.version,
            "owner": self.state.owner,
            "link": self.state.link,
            "members": members,
        } | changes

    def complaints(self) -> list[Complaint]:
        """Return the checker's complaints."""
        found: list[Complaint] = []
        ledgers = list(self.ledgers.values())
        index = {each.player: CommandIndex(each) for each in ledgers}
        CircleChecks(self.stored, index, found).run(ledgers)
        return found


def recorded() -> Recording:
    recording = Recording()
    recording.send(ADA, "CreateCircle", START, name="Friends", key="k" * 8)
    state = recording.append(Founded(CIRCLE, ADA, "Friends", SECRET, START))
    for player in (BOB, CYD):
        recording.send(player, "JoinCircle", START, link=state.link)
        state = recording.append(commands.join(state, player, SECRET, START + 1))
    recording.ledgers[BOB].record_event(recording.shown(), START + 2)
    recording.send(CYD, "LeaveCircle", START + 2, circle=CIRCLE)
    state = recording.append(commands.leave(state, CYD, START + 3))
    state = recording.append(commands.set_season(state, ADA, 2, START + 4))
    assert state.due is not None
    recording.stored.due[f"g:{CIRCLE}"] = state.due
    for player in (ADA, BOB):
        recording.stored.circles_of[player] = {CIRCLE: START}
    recording.ledgers[ADA].record_event(recording.shown(), START + 5)
    return recording


def test_a_correct_circle_gives_no_complaints() -> None:
    assert recorded().complaints() == []


def _is_lost(recording: Recording) -> None:
    recording.stored.circles[CIRCLE].pop()
    recording.stored.due.clear()


def _has_a_gap(recording: Recording) -> None:
    del recording.stored.circles[CIRCLE][1]


def _cannot_be_read(recording: Recording) -> None:
    recording.stored.circles[CIRCLE][0] = ("0-1", '{"type":"closed","at":1}')


def _was_joined_without_a_request(recording: Recording) -> None:
    recording.ledgers[BOB] = Ledger(BOB)


def _was_joined_too_early(recording: Recording) -> None:
    recording.ledgers[BOB] = Ledger(BOB)
    recording.send(BOB, "JoinCircle", START + 60_000, link="")


def _was_joined_twice(recording: Recording) -> None:
    recording.append(Joined(BOB, START + 9))


def _was_left_without_a_request(recording: Recording) -> None:
    recording.append(Left(BOB, START + 9))


def _goes_back_in_time(recording: Recording) -> None:
    assert recording.state is not None
    recording.append(commands.mute(recording.state, BOB, True, START))


def _is_not_found_by_a_member(recording: Recording) -> None:
    del recording.stored.circles_of[BOB]


def _is_marked_as_left_for_a_member(recording: Recording) -> None:
    recording.stored.circles_of[BOB] = {CIRCLE: START - 2**52}


def _has_nothing_due(recording: Recording) -> None:
    recording.stored.due.clear()


def _is_shown_to_a_former_member(recording: Recording) -> None:
    recording.ledgers[CYD].record_event(recording.shown(), START + 9)


def _is_shown_with_another_link(recording: Recording) -> None:
    recording.ledgers[ADA].record_event(recording.shown(link="another"), START + 9)


def _is_shown_with_others(recording: Recording) -> None:
    recording.ledgers[ADA].record_event(recording.shown(members=[]), START + 9)


@pytest.mark.parametrize(
    ("spoil", "kind"),
    [
        (_is_lost, "lost"),
        (_has_a_gap, "gap"),
        (_cannot_be_read, "invented"),
        (_was_joined_without_a_request, "invented"),
        (_was_joined_too_early, "mistimed"),
        (_was_joined_twice, "invented"),
        (_was_left_without_a_request, "invented"),
        (_goes_back_in_time, "mistimed"),
        (_is_not_found_by_a_member, "lost"),
        (_is_marked_as_left_for_a_member, "lost"),
        (_has_nothing_due, "unfinished"),
        (_is_shown_to_a_former_member, "told"),
        (_is_shown_with_another_link, "misreported"),
        (_is_shown_with_others, "misreported"),
    ],
)
def test_each_error_is_found(spoil: Callable[[Recording], None], kind: str) -> None:
    recording = recorded()
    spoil(recording)
    assert kind in {each.kind for each in recording.complaints()}
