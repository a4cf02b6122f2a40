"""Checks of circles: members and their commands, due times, and events received by players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from server.base.core.ids import PlayerId
from server.circles import journal
from server.circles.core import circle as core
from server.circles.core.circle import Circle, Entry
from server.circles.core.events import Founded, Joined, Left
from tests.faults.commands import CommandIndex
from tests.faults.complaint import Complaint
from tests.faults.journal_checks import JournalChecks
from tests.faults.ledger import Ledger, Message
from tests.faults.stored import Stored


class CircleChecks(JournalChecks[Circle, Entry]):
    """Compares the journals of circles with the players' ledgers."""

    def __init__(
        self, stored: Stored, commands: Mapping[str, CommandIndex], complaints: list[Complaint]
    ) -> None:
        super().__init__("circle", journal.decode, core.fold, commands, complaints)
        self._stored = stored
        self._states: dict[str, dict[int, Circle]] = {}

    def run(self, ledgers: Sequence[Ledger]) -> Counter[str]:
        """Run all checks, and return the number of items checked."""
        counts: Counter[str] = Counter()
        for name, entries in self._stored.circles.items():
            states = {n: state for n, (_, state) in self._replayed(name, entries).items()}
            if not states:
                continue
            self._states[name] = states
            last = states[max(states)]
            counts["circles"] += 1
            counts["members of circles"] += len(last.members)
            self._check_last(name, last)
        for ledger in ledgers:
            for line in ledger.events():
                if line.message["type"] == "Circle":
                    self._check_received(ledger.player, line.message)
                    counts["circles received"] += 1
        return counts

    def _check_entry(self, name: str, before: Circle | None, event: Entry) -> None:
        if before is not None and event.at < before.at:
            self._complain("mistimed", name, f"{event} after {before.at}")
        match event:
            case Founded(owner=owner, at=at):
                self._check_asked(name, owner, "CreateCircle", "", at)
            case Joined(player=player, at=at):
                self._check_asked(name, player, "JoinCircle", "", at)
                if before is not None and before.member(player) is not None:
                    self._complain("invented", name, f"{player} has joined twice")
            case Left(player=player, at=at, erased=False):
                self._check_asked(name, player, "LeaveCircle", name, at)

    def _check_last(self, name: str, circle: Circle) -> None:
        due = self._stored.due.get(f"g:{name}")
        if due != circle.due:
            self._complain("unfinished", name, f"{circle.due} is due, not {due}")
        for player in circle.players:
            # A negative score marks a circle that the player left.
            if self._stored.circles_of.get(player, {}).get(name, -1) < 0:
                self._complain("lost", name, f"{player} is a member but does not find it")
        if not circle.deleted and circle.member(circle.owner) is None:
            self._complain("invented", name, f"{circle.owner} owns it but is no member")

    def _check_received(self, viewer: str, message: Message) -> None:
        """Check that a circle event was true, and that the recipient was allowed to see it."""
        name, version = message["circle"], message["version"]
        states = self._states.get(name, {})
        if not states or version > max(states):
            self._complain("lost", name, f"{viewer} was sent {message}")
            return
        state = states.get(version)
        if state is None:
            # A checkpoint dropped the entry.
            return
        shown = [each["player"]["id"] for each in message["members"]]
        if (shown, message["owner"], message["link"]) != (state.players, state.owner, state.link):
            self._complain("misreported", name, f"{viewer} was sent {message}")
        if state.member(PlayerId(viewer)) is None:
            self._complain("told", name, f"{viewer} is no member")
