"""The checker finds errors in an otherwise correct recording of a challenge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from dataclasses import replace as changed
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from server.base.core.ids import ChallengeId, DealId, PlayerId, attempt_id
from server.challenges.core import commands
from server.challenges.core.challenge import Challenge, fold
from server.challenges.core.events import Begun, ChallengeMade, Closing, Event, Finished, Terms
from server.challenges.core.occasions import occasion_of
from server.play.core.result import Result
from server.results.core.excerpt import Excerpt
from server.results.core.history import ChallengeResult
from server.results.core.history_fields import changes
from tests.builders import ADA, BOB, CYD, LIMIT, START
from tests.faults.challenges import ChallengeChecks
from tests.faults.checker import AttemptSummary
from tests.faults.commands import CommandIndex
from tests.faults.complaint import Complaint
from tests.faults.errors import Errors, each_of
from tests.faults.ledger import Ledger, Message
from tests.faults.stored import Stored

ID = ChallengeId("cha0000000000000")
DEAL = DealId("dea1000000000000")
GAME = "robert"
TERMS = Terms(GAME, "standard", LIMIT, 4 * LIMIT, target=False)
MADE = ChallengeMade(ID, ADA, TERMS, DEAL, "", "", 0, START)
RESULTS = {ADA: Result(20, 32, 900, 30, "stuck"), BOB: Result(25, 27, 800, 20, "resigned")}
PLACES = {ADA: 2, BOB: 1}


@dataclass
class Recording:
    """A closed challenge made by Ada and played by Ada and Bob. Cyd watches."""

    stored: Stored = field(default_factory=Stored)
    attempts: dict[str, AttemptSummary] = field(default_factory=dict)
    ledgers: dict[PlayerId, Ledger] = field(
        default_factory=lambda: {player: Ledger(player) for player in (ADA, BOB, CYD)}
    )
    state: Challenge | None = None

    def append(self, event: Event | None) -> Challenge:
        """Append an entry."""
        assert event is not None
        self.state = fold(self.state, event)
        text = msgspec.json.encode(event).decode()
        self.stored.challenges.setdefault(ID, []).append((f"0-{self.state.version}", text))
        return self.state

    def send(self, player: PlayerId, type_: str, at: int, **fields: Any) -> None:
        """Record a player's command."""
        self.ledgers[player].record_command({"type": type_, "id": at, **fields}, at)

    def receive(self, player: PlayerId, at: int, rows: list[Message], **fields: Any) -> None:
        """Record that a player is shown rows of the challenge."""
        assert self.state is not None
        event = {"type": "Challenge", "challenge": ID, "version": self.state.version}
        self.ledgers[player].record_event(event | {"players": rows, "seed": None} | fields, at)

    def row(self, player: PlayerId, *, shown: bool) -> Message:
        """Return a player's row."""
        result = msgspec.structs.asdict(RESULTS[player]) if shown else None
        attempt = attempt_id(DEAL, player) if shown else None
        rank = PLACES[player] if shown else None
        return {"player": {"id": player}, "result": result, "rank": rank, "attempt": attempt,
                "emotes": []}  # fmt: skip

    def summary(self, player: PlayerId, **fields: Any) -> None:
        """Set the summary of a player's attempt."""
        summary = AttemptSummary(
            *(GAME, None, None, (RESULTS[player],), (0,), START + LIMIT, True, "none"),
            occasion=occasion_of(ID),
        )
        self.attempts[attempt_id(DEAL, player)] = changed(summary, **fields)

    def enter(self, player: PlayerId, **fields: Any) -> None:
        """Enter a result in a history."""
        assert self.state is not None
        run = RESULTS[player]
        assert run.end is not None
        result = ChallengeResult(
            self.state.over or 0,
            ID,
            PLACES[player],
            2,
            run.home,
            run.left,
            run.time,
            run.moves,
            run.end,
        )
        after = Excerpt().with_challenge(GAME, DEAL, replace(result, **fields))
        self.stored.histories[player] = {
            name: text for name, text in changes(Excerpt(), after).items() if text is not None
        }

    def complaints(self) -> list[Complaint]:
        """Return the checker's complaints."""
        found: list[Complaint] = []
        indexes: dict[str, CommandIndex] = {
            player: CommandIndex(ledger) for player, ledger in self.ledgers.items()
        }
        now = MADE.closes + 1
        checks = ChallengeChecks(self.stored, self.attempts, indexes, found, now=now)
        checks.run([*self.ledgers.values()])
        return found


def correct() -> Recording:
    recording = Recording()
    recording.send(ADA, "CreateChallenge", START, game=GAME)
    state = recording.append(MADE)
    for number, player in enumerate((ADA, BOB), 1):
        at = START + 10_000 * number
        recording.send(player, "PlayChallenge", at, challenge=ID)
        state = recording.append(commands.begin(state, player, at, is_member=True))
        recording.receive(CYD, at, [recording.row(p, shown=False) for p in state.players])
        state = recording.append(commands.finish(state, player, RESULTS[player], at + 5_000))
        recording.receive(CYD, at + 5_000, [recording.row(p, shown=False) for p in state.players])
        recording.receive(player, at + 5_000, [recording.row(p, shown=True) for p in state.players])
        recording.summary(player)
    state = recording.append(commands.due(state, MADE.closes))
    rows = [recording.row(player, shown=True) for player in state.players]
    recording.receive(CYD, MADE.closes, rows, seed="00")
    for player in (ADA, BOB):
        recording.enter(player)
    return recording


def test_a_correct_recording_is_accepted() -> None:
    assert correct().complaints() == []


def _without(recording: Recording, number: int) -> None:
    del recording.stored.challenges[ID][number]


def _again(recording: Recording, event: Event) -> None:
    entries = recording.stored.challenges[ID]
    entries.append((f"0-{len(entries) + 1}", msgspec.json.encode(event).decode()))


def _entry(recording: Recording, number: int, event: Event) -> None:
    entries = recording.stored.challenges[ID]
    entries[number] = (entries[number][0], msgspec.json.encode(event).decode())


def _show(recording: Recording, **fields: Any) -> None:
    """Show Cyd Ada's run while the challenge is open."""
    row = recording.row(ADA, shown=False) | fields
    recording.receive(CYD, START + 30_000, [row])


WRONG: Errors[Recording] = {
    "gap": {
        "an entry is missing": lambda r: _without(r, 2),
    },
    "invented": {
        "a result is entered twice": lambda r: _again(r, Finished(BOB, RESULTS[BOB], MADE.closes)),
        "a start was not requested": lambda r: _entry(r, 3, Begun(CYD, START, START + LIMIT)),
        "the close was not requested": lambda r: _again(r, Closing(MADE.closes, MADE.closes)),
    },
    "mistimed": {
        "an attempt lasts too long": lambda r: _entry(
            r, 1, Begun(ADA, START + 10_000, START + 10_001 + LIMIT)
        ),
    },
    "misranked": {
        "a result differs": lambda r: _entry(r, 2, Finished(ADA, RESULTS[BOB], START + 15_000)),
        "an attempt goes on": lambda r: r.summary(BOB, results=()),
        "a place differs": lambda r: r.enter(BOB, place=2),
        "a void result counts": lambda r: r.enter(BOB, void=True),
    },
    "lost": {
        "an attempt is lost": lambda r: r.attempts.pop(attempt_id(DEAL, BOB)),
        "a challenge is lost": lambda r: r.stored.challenges.pop(ID),
        "a result is in no history": lambda r: r.stored.histories.pop(BOB),
        "a shown challenge is lost": lambda r: r.receive(BOB, MADE.closes, [], version=99),
    },
    "leaked": {
        "a result is shown too early": lambda r: _show(
            r, result=msgspec.structs.asdict(RESULTS[ADA])
        ),
        "a rank is shown too early": lambda r: _show(r, rank=1),
        "an emote is shown too early": lambda r: _show(r, emotes=[[BOB, 1]]),
        "the seed is shown too early": lambda r: r.receive(CYD, START + 30_000, [], seed="00"),
    },
    "misreported": {
        "another result is shown": lambda r: r.receive(
            BOB,
            MADE.closes,
            [r.row(ADA, shown=True) | {"result": msgspec.structs.asdict(RESULTS[BOB])}],
        ),
    },
}


@pytest.mark.parametrize(("kind", "spoil"), each_of(WRONG))
def test_each_error_is_found(kind: str, spoil: Callable[[Recording], object]) -> None:
    recording = correct()
    spoil(recording)
    assert kind in {each.kind for each in recording.complaints()}
