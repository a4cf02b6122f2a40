"""A small true story for the checker's own tests: a race of two and a daily, as they are kept."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import msgspec

from engine.board import Board, view_of
from engine.catalog import ruleset
from engine.deal import commitment, deal_seed
from engine.notation import move_text
from server.core import attempt as core
from server.core import daily, race
from server.core.attempt import Attempt, Ended, Started
from server.core.digest import digest
from server.core.ids import DealId, PlayerId
from server.core.names import Profile
from server.core.race import Room, RoomOpened
from server.core.ranking import packed
from server.gateway import codec, messages, present
from server.service.answers import snapshot_of
from server.service.attempt_journal import Step
from server.service.live_room import RoomPage
from server.service.resume import missed_of
from tests.core.builders import ADA, BOB, CODE, LIMIT, START, homewards
from tests.faults.kept import Kept
from tests.faults.ledger import Ledger
from tests.wire import Wire

GAME = "roosevelt"
RACED = DealId("raced00000000000")
TODAY = DealId("t0day00000000000")
SEED = bytes(range(32))
MOVES = 6
HAD = 3
"""The entry that players had when they came back after the last move, and after the end."""
DAY = daily.day_at(START)


@dataclass
class Tale:
    """What was kept, and what its players wrote down; `at` is the time in it."""

    kept: Kept = field(default_factory=Kept)
    ledgers: dict[str, Ledger] = field(default_factory=dict)
    wires: defaultdict[str, Wire] = field(default_factory=lambda: defaultdict(Wire))
    at: int = START
    room: Room | None = None
    commands: int = 0

    def say(self, player: PlayerId, type_: str, **fields: object) -> int:
        """Let a player say something; return its number."""
        self.commands += 1
        command = {"type": type_, "id": self.commands, **fields}
        self.wires[player].pack(command)
        self.ledgers[player].say(command, self.at)
        return self.commands

    def hear(
        self, player: PlayerId, event: messages.shared.Event, re: int = messages.shared.NEWS
    ) -> None:
        """Let a player hear something."""
        self.hear_frame(player, codec.encode(event, re))

    def hear_frame(self, player: PlayerId, frame: bytes) -> None:
        """Let a player hear what a frame says."""
        self.ledgers[player].hear(self.wires[player].unpack(frame), self.at)

    def in_room(self, event: race.Event | None) -> None:
        """Let the room's journal grow, and tell both players of it."""
        assert event is not None
        self.room = race.fold(self.room, event)
        _append(self.kept.rooms.setdefault(CODE, []), event)
        page = RoomPage(
            self.room,
            {},
            {player: Profile(player, "Ada") for player in (ADA, BOB)},
            set(),
            SEED.hex() if self.room.round is not None and self.room.round.over else None,
        )
        if self.room.round is None or self.room.round.over:
            progress = self.room.round.results if self.room.round else {}
            shown = RoomPage(page.room, progress, page.profiles, page.online, page.seed)
            for player in (ADA, BOB):
                self.hear(player, present.room(shown))

    def play(self, start: Started) -> Attempt:
        """Let a player play a few moves, resign, and be told of it all."""
        player, board = start.player, board_of()
        state = core.begin(start, board)
        journal = self.kept.attempts.setdefault(state.id, [])
        steps = [Step(None, start, state)]
        _append(journal, start)
        number = messages.attempts.FIRST_NUMBER + (start.room is None)
        self.hear(
            player, present.attempt(snapshot_of(state, _promise(start.deal)), number, self.at)
        )
        for _ in range(MOVES):
            self.at += 100
            move = homewards(state.board)
            assert move is not None
            text = move_text(state.board.ruleset, move)
            self.say(player, "move", attempt=state.id, seq=state.seq + 1, move=text)
            before, (event, state, delta) = state, core.play(state, move, self.at)
            steps.append(Step(before, event, state))
            _append(journal, event)
            changes = [(pile, take, *put) for pile, take, put in delta.changes]
            time, redeals = state.last_home, delta.redeals
            moved = codec.encode_moved(number, state.seq, changes, time, state.end, redeals)
            self.hear_frame(player, moved)
        self.come_back(player, number, steps, HAD)
        said = self.say(player, "resign", attempt=state.id, seq=state.seq + 1)
        end = Ended("resigned", self.at)
        before, state = state, core.fold(state, end)
        steps.append(Step(before, end, state))
        _append(journal, end)
        self.hear(player, present.ended(state, number), said)
        self.come_back(player, number, steps, HAD)
        return state

    def come_back(self, player: PlayerId, number: int, steps: list[Step], since: int) -> None:
        """Let a player say that it has entry `since`, and be told what it missed."""
        self.at += 100
        last = steps[-1].after
        seen = digest(view_of(steps[since - 1].after.board))
        have = {"seq": since, "digest": seen}
        said = self.say(player, "attempt.open", attempt=last.id, have=have)
        now = snapshot_of(last, _promise(last.start.deal))
        found = missed_of(steps, now, since, seen)
        assert found is not None, "the digest is right"
        self.hear(player, present.missed(found, number, self.at), said)


def board_of() -> Board:
    """Return the board that both deals of the tale lay out."""
    return deal_seed(ruleset(GAME), SEED)


def _promise(deal: DealId) -> str:
    return commitment(deal, SEED)


def _append(journal: list[tuple[str, str]], event: core.Event | race.Event) -> None:
    journal.append((f"0-{len(journal) + 1}", msgspec.json.encode(event).decode()))


def told() -> Tale:
    """Return the whole tale."""
    tale = Tale(ledgers={player: Ledger(player) for player in (ADA, BOB)})
    fields = {"game": GAME, "variant": "standard", "seed": SEED.hex()}
    tale.kept.deals[RACED] = {**fields, "commitment": _promise(RACED), "room": CODE}
    tale.kept.deals[TODAY] = {**fields, "commitment": _promise(TODAY), "day": str(DAY)}
    tale.say(ADA, "room.create", game=GAME)
    tale.in_room(RoomOpened(CODE, ADA, GAME, "standard", 2, LIMIT, tale.at))
    assert tale.room is not None
    tale.in_room(race.take_seat(tale.room, ADA, tale.at))
    tale.say(BOB, "room.join", code=CODE)
    tale.in_room(race.take_seat(tale.room, BOB, tale.at))
    tale.say(BOB, "room.ready", code=CODE, ready=True)
    tale.in_room(race.set_ready(tale.room, BOB, True, tale.at))
    tale.say(ADA, "room.start", code=CODE)
    tale.in_room(race.start(tale.room, ADA, RACED, _promise(RACED), tale.at))
    running = tale.room.running
    assert running is not None
    tale.at = running.starts
    for player in (ADA, BOB):
        start = Started(
            player, RACED, GAME, "standard", CODE, None, running.starts, running.deadline
        )
        result = tale.play(start).result
        tale.in_room(race.finish(tale.room, RACED, player, result, tale.at))
    tale.say(ADA, "daily.open", game=GAME)
    start = Started(ADA, TODAY, GAME, "standard", None, DAY, tale.at, daily.closes(DAY))
    score = packed(tale.play(start).result)
    tale.kept.leaderboards[GAME, DAY] = {ADA: score}
    return tale
