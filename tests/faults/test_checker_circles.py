"""The checker finds errors in an otherwise correct recording of a circle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import setitem
from typing import Any

import msgspec
import pytest

from server.base.core.ids import PlayerId
from server.circles.core import commands
from server.circles.core.circle import Circle, fold
from server.circles.core.events import Event, Founded, Joined, Left
from tests.builders import ADA, BOB, CYD, START
from tests.circles.core.circles import CIRCLE, SECRET
from tests.faults.circles import CircleChecks
from tests.faults.commands import CommandIndex
from tests.faults.complaint import Complaint
from tests.faults.errors import Errors, each_of
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


def _joined_too_early(recording: Recording) -> None:
    recording.ledgers[BOB] = Ledger(BOB)
    recording.send(BOB, "JoinCircle", START + 60_000, link="")


def _mute(recording: Recording) -> None:
    assert recording.state is not None
    recording.append(commands.mute(recording.state, BOB, True, START))


def _show(recording: Recording, player: PlayerId, **changes: Any) -> None:
    recording.ledgers[player].record_event(recording.shown(**changes), START + 9)


CANNOT_BE_READ = ("0-1", '{"type":"closed","at":1}')

WRONG: Errors[Recording] = {
    "lost": {
        "it is lost": _is_lost,
        "a member does not find it": lambda r: r.stored.circles_of.pop(BOB),
        "a member left it": lambda r: r.stored.circles_of.update({BOB: {CIRCLE: START - 2**52}}),
    },
    "gap": {"an entry is missing": lambda r: r.stored.circles[CIRCLE].pop(1)},
    "invented": {
        "it cannot be read": lambda r: setitem(r.stored.circles[CIRCLE], 0, CANNOT_BE_READ),
        "it was joined without a request": lambda r: setitem(r.ledgers, BOB, Ledger(BOB)),
        "it was joined twice": lambda r: r.append(Joined(BOB, START + 9)),
        "it was left without a request": lambda r: r.append(Left(BOB, START + 9)),
    },
    "mistimed": {"it was joined too early": _joined_too_early, "it goes back in time": _mute},
    "unfinished": {"nothing is due": lambda r: r.stored.due.clear()},
    "told": {"it is shown to a former member": lambda r: _show(r, CYD)},
    "misreported": {
        "it is shown with another link": lambda r: _show(r, ADA, link="another"),
        "it is shown with other members": lambda r: _show(r, ADA, members=[]),
    },
}


@pytest.mark.parametrize(("kind", "spoil"), each_of(WRONG))
def test_each_error_is_found(kind: str, spoil: Callable[[Recording], object]) -> None:
    recording = recorded()
    spoil(recording)
    assert kind in {each.kind for each in recording.complaints()}
