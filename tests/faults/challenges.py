"""Checks of challenges: entrants, endings, effects, and events received by players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from server.base.core.ids import ChallengeId, PlayerId
from server.challenges import journal
from server.challenges.core import challenge as core
from server.challenges.core.challenge import Challenge, Checkpoint, Entrant, Entry
from server.challenges.core.events import Begun, ChallengeMade, Closing, Finished
from server.challenges.core.occasions import challenge_of
from server.play.core import keys as play_keys
from server.play.core.result import Result
from server.results.core.history import ChallengeResult
from server.results.core.history_fields import whole_of
from tests.faults.commands import CommandIndex
from tests.faults.complaint import SLACK, Complaint, Kind
from tests.faults.journal_checks import JournalChecks
from tests.faults.ledger import Ledger, Line, Message
from tests.faults.room_history import LAST
from tests.faults.stored import Stored

if TYPE_CHECKING:
    from tests.faults.checker import AttemptSummary


class ChallengeChecks(JournalChecks[Challenge, Entry]):
    """Compares the journals of challenges with attempts, histories, and the players' ledgers."""

    def __init__(
        self,
        stored: Stored,
        attempts: Mapping[str, AttemptSummary],
        commands: Mapping[str, CommandIndex],
        complaints: list[Complaint],
        *,
        now: int,
    ) -> None:
        super().__init__("challenge", journal.decode, core.fold, commands, complaints)
        self._stored = stored
        self._attempts = attempts
        self._now = now
        self.challenges: dict[str, Challenge] = {}
        for name, entries in stored.challenges.items():
            if found := self._replayed(name, entries):
                self._check_duplicates(name, [event for event, _ in found.values()])
                self.challenges[name] = found[max(found)][1]

    def run(self, ledgers: Sequence[Ledger]) -> Counter[str]:
        """Run all checks, and return the number of items checked."""
        counts: Counter[str] = Counter()
        for name, challenge in self.challenges.items():
            self._check_runs(name, challenge)
            counts["challenges"] += 1
            counts["challenges settled"] += challenge.is_settled
            counts["runs at challenges"] += len(challenge.results)
        self._check_attempts()
        self._check_histories()
        for ledger in ledgers:
            for line in ledger.events():
                if line.message["type"] in {"Challenge", "ChallengeChange"}:
                    self._check_received(ledger.player, line)
                    counts["challenges received"] += 1
        return counts

    def _check_duplicates(self, name: str, events: list[Entry]) -> None:
        for kind in (Begun, Finished):
            players = Counter(each.player for each in events if isinstance(each, kind))
            for player, count in players.items():
                if count > 1:
                    self._complain("invented", name, f"{player} has {count} entries of {kind}")

    def _check_entry(self, name: str, before: Challenge | None, event: Entry) -> None:
        if before is not None and not isinstance(event, Checkpoint) and event.at < before.at:
            self._complain("mistimed", name, f"{event} after {before.at}")
        match event:
            case ChallengeMade(creator=creator, follows=None) if creator in self._commands:
                self._check_asked(name, creator, "CreateChallenge", event.terms.game, event.at)
            case Closing(at=at):
                assert before is not None, "the challenge exists"
                self._check_asked(name, before.made.creator, "CloseChallenge", name, at)
            case Begun(player=player, at=at, deadline=deadline):
                self._check_asked(name, player, "PlayChallenge", name, at)
                assert before is not None, "the challenge exists"
                made, is_closed = before.made, before.over is not None or before.closing is not None
                if deadline != min(at + made.terms.limit, made.closes) or is_closed:
                    self._complain("mistimed", name, f"{event} of {made.terms}")

    def _check_runs(self, name: str, challenge: Challenge) -> None:
        by_date = challenge.over == challenge.made.closes or challenge.closing is not None
        by_all = bool(challenge.made.named) and all(
            each.result is not None for each in challenge.players.values()
        )
        if challenge.over is not None and not (by_date or by_all):
            self._complain("invented", name, f"it closed at {challenge.over}")
        for player, entrant in challenge.players.items():
            run = self._attempts.get(challenge.attempt(player))
            if entrant.begun is None or player in challenge.made.raced:
                continue
            if entrant.result is None:
                if run is None or run.over or challenge.over is not None:
                    self._complain("unfinished", name, f"{player} has no result: {run}")
            elif run is None and not self._has_expired(entrant):
                self._complain("lost", name, f"{player} has a result without an attempt")
            elif run is not None and (not run.over or run.results[-1] != entrant.result):
                text = f"{player}: {entrant.result}, not {run.results[-1:]}"
                self._complain("misranked", name, text)

    def _has_expired(self, entrant: Entrant) -> bool:
        result = entrant.result
        assert result is not None, "it is over"
        played = result.moves or result.hints
        return not played and self._now >= entrant.deadline + play_keys.UNPLAYED_LIFE_MS

    def _check_attempts(self) -> None:
        """Check that each attempt's challenge knows it."""
        for attempt, run in self._attempts.items():
            name = challenge_of(run.occasion)
            if name is None:
                continue
            challenge = self.challenges.get(name)
            player = PlayerId(attempt.partition(".")[2])
            if challenge is None or not attempt.startswith(challenge.made.deal):
                self._complain("lost", name, f"{attempt} is at it")
            elif player not in challenge.players:
                self._complain("invented", attempt, "it was not started")

    def _check_histories(self) -> None:
        wanted = {
            (player, challenge.made.terms.game, challenge.made.deal): result
            for challenge in self.challenges.values()
            if challenge.is_settled
            for player, result in _results(challenge).items()
        }
        found = {
            (PlayerId(player), *key): result
            for player, fields in self._stored.histories.items()
            for key, result in whole_of(fields).history.challenges.items()
        }
        for key in wanted.keys() | found.keys():
            if wanted.get(key) == found.get(key):
                continue
            kind: Kind = "misranked"
            if key not in found:
                kind = "lost"
            elif key not in wanted:
                kind = "invented"
            self._complain(kind, f"{key}", f"{found.get(key)}, not {wanted.get(key)}")

    def _check_received(self, viewer: str, line: Line) -> None:
        """Check that a challenge event was true, and that the recipient was allowed to see it."""
        message = line.message
        name = message["challenge"]
        challenge = self.challenges.get(name)
        if challenge is None or message["version"] > challenge.version:
            self._complain("lost", name, f"{viewer} was sent {message}")
            return
        own = challenge.players.get(PlayerId(viewer))
        # The entry is written before anyone is notified.
        over = challenge.over is not None and challenge.over <= line.at + SLACK
        ended = own is not None and own.result is not None and own.ended <= line.at + SLACK
        for row in message["players"]:
            self._check_row(challenge, viewer, row, may_see=over or ended)
        if message.get("seed") and not over:
            self._complain("leaked", name, f"{viewer} was sent the seed")

    def _check_row(self, challenge: Challenge, viewer: str, row: Message, *, may_see: bool) -> None:
        player = PlayerId(row["player"]["id"])
        entrant = challenge.players.get(player)
        if entrant is None:
            self._complain("lost", challenge.id, f"{viewer} was sent {row}")
            return
        is_target = player == challenge.made.creator and challenge.made.terms.target
        if row["result"] is not None:
            if Result(**row["result"]) != entrant.result:
                self._complain("misreported", challenge.id, f"{viewer} was sent {row}")
            if not (may_see or is_target):
                self._complain("leaked", challenge.id, f"{viewer} must not see {row}")
        shown = row["rank"] is not None or row["attempt"] is not None or row["emotes"]
        if shown and not may_see:
            self._complain("leaked", challenge.id, f"{viewer} must not see {row}")


def _results(challenge: Challenge) -> dict[PlayerId, ChallengeResult]:
    made = challenge.made
    ended = {p: (each, each.result) for p, each in challenge.players.items() if each.result}
    ranked = {
        player: (run.left, run.time, run.moves) if run.home > made.home else LAST
        for player, (entrant, run) in ended.items()
        if not entrant.void
    }
    found = {}
    for player, (entrant, run) in ended.items():
        place = len(challenge.players)
        if not entrant.void:
            mine = ranked[player]
            better = sum(other < mine for other in ranked.values())
            place = len(ranked) if mine == LAST else 1 + better
        assert run.end is not None, "it is over"
        assert challenge.over is not None, "it is settled"
        found[player] = ChallengeResult(
            challenge.over,
            ChallengeId(made.challenge),
            place,
            len(challenge.players),
            run.home,
            run.left,
            run.time,
            run.moves,
            run.end,
            made.terms.help != "none",
            made.terms.circle,
            entrant.void,
        )
    return found
