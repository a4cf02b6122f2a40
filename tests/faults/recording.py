"""A small correct recording for the checker's tests: a race of two players, and a daily."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from dataclasses import dataclass, field

import msgspec
from msgspec.structs import replace

from engine.board import Board, view_of
from engine.catalog import ruleset
from engine.deal import commitment, deal_seed
from engine.notation import move_text
from engine.schema import STANDARD
from server.base.core import days
from server.base.core.days import DailyId
from server.base.core.ids import DealId, PlayerId
from server.base.wire import codec
from server.base.wire import messages as wire_messages
from server.play import messages as play_messages
from server.play import present as play_present
from server.play.answers import snapshot_of
from server.play.core import attempt as core
from server.play.core import keys
from server.play.core.attempt import Attempt, Ended, Started
from server.play.core.digest import digest
from server.play.core.result import Help, Result
from server.play.journal import Step
from server.play.resume import missed_of
from server.players.core.names import Profile
from server.results.core import race_results
from server.results.core.boards import boards_of_day, boards_of_round
from server.results.core.contests import Lately
from server.results.core.curve import SECONDS
from server.results.core.history import RATING, UNCERTAINTY, DayResult, History, points
from server.results.core.race_results import Decision
from server.rooms import present as rooms_present
from server.rooms.core import commands as race_commands
from server.rooms.core import effects
from server.rooms.core import room as race
from server.rooms.core.events import Event, RoomOpened, RunnerFinished
from server.rooms.core.room import Checkpoint, KeptRound, Room
from server.rooms.live_room import RoomPage
from tests.builders import ADA, BOB, CODE, LIMIT, START, homewards
from tests.faults.ledger import Ledger
from tests.faults.stored import Stored
from tests.results.core.histories import fields_of
from tests.wire import Wire

GAME = "rouge-et-noir"
RACED = DealId("raced00000000000")
TODAY = DealId("t0day00000000000")
SEED = bytes(range(32))
MOVES = 10
HAD = 3
"""The entry in the `have` of players who resume after the last move, and after the end."""
DAY = days.day_at(START)


@dataclass
class Recording:
    """Stored data and the players' ledgers. `at` is the current time."""

    stored: Stored = field(default_factory=Stored)
    ledgers: dict[str, Ledger] = field(default_factory=dict)
    wires: defaultdict[str, Wire] = field(default_factory=lambda: defaultdict(Wire))
    at: int = START
    room: Room | None = None
    commands: int = 0

    def send(self, player: PlayerId, type_: str, /, **fields: object) -> int:
        """Record a player's command and return its id."""
        self.commands += 1
        command = {"type": type_, "id": self.commands, **fields}
        self.wires[player].pack(command)
        self.ledgers[player].record_command(command, self.at)
        return self.commands

    def receive(
        self, player: PlayerId, event: wire_messages.Event, re: int = wire_messages.NEWS
    ) -> None:
        """Record an event that a player receives."""
        self.receive_frame(player, codec.encode(event, re))

    def receive_frame(self, player: PlayerId, frame: bytes) -> None:
        """Record the event in a frame that a player receives."""
        self.ledgers[player].record_event(self.wires[player].unpack(frame), self.at)

    def in_room(self, event: Event | None) -> None:
        """Append to the room's journal; outside of rounds, send the room to both players."""
        assert event is not None
        self.room = race.fold(self.room, event)
        _append(self.stored.rooms.setdefault(CODE, []), event)
        if isinstance(event, RunnerFinished) and not self.room.running:
            assert self.room.round is not None
            kept = msgspec.json.encode(KeptRound(self.room.round)).decode()
            self.stored.rounds[self.room.round.deal] = kept
        page = RoomPage(
            self.room,
            {},
            {},
            {player: Profile(player, "Ada") for player in (ADA, BOB)},
            set(),
            SEED.hex() if self.room.round is not None and self.room.round.over else None,
        )
        if self.room.round is None or self.room.round.over:
            progress = self.room.round.results if self.room.round else {}
            shown = dataclasses.replace(page, progress=progress)
            for player in (ADA, BOB):
                secret = rooms_present.is_secret(shown, PlayerId(player))
                self.receive(player, rooms_present.room(shown, secret=secret))

    def write_checkpoint(self) -> None:
        """Append a checkpoint to the room's journal without notifying the players."""
        assert self.room is not None
        event = Checkpoint(self.room, self.room.at)
        self.room = race.fold(self.room, event)
        _append(self.stored.rooms[CODE], event)

    def play(self, start: Started) -> Attempt:
        """Record an attempt of a few moves and a resignation, with all events."""
        player, board = start.player, board_of()
        state = core.begin(start, board)
        journal = self.stored.attempts.setdefault(state.id, [])
        self.stored.expiries[state.id] = start.deadline + keys.ATTEMPT_LIFE_MS
        steps = [Step(None, start, state)]
        _append(journal, start)
        number = play_messages.FIRST_NUMBER + (start.room is None)
        self.receive(
            player,
            play_present.attempt(snapshot_of(state, _commitment_of(start.deal)), number, self.at),
        )
        for _ in range(MOVES):
            self.at += 80
            move = homewards(state.board)
            assert move is not None
            text = move_text(state.board.ruleset, move)
            self.send(player, "move", attempt=state.id, seq=state.seq + 1, move=text)
            before, played = state, core.play(state, move, self.at)
            state = played.after
            steps.append(Step(before, played.event, state))
            _append(journal, played.event)
            changes = [(pile, take, *put) for pile, take, put in played.delta.changes]
            time, redeals = state.last_home, played.delta.redeals
            moved = codec.encode_moved(number, state.seq, changes, time, state.end, redeals)
            self.receive_frame(player, moved)
        self.resume(player, number, steps, HAD)
        if start.help != "none":
            state = self._ask_for_help(state, number)
        command_id = self.send(player, "resign", attempt=state.id, seq=state.seq + 1)
        end = Ended("resigned", self.at)
        before, state = state, core.fold(state, end)
        steps.append(Step(before, end, state))
        _append(journal, end)
        self.receive(player, play_present.ended(state, number), command_id)
        if start.help == "none":
            self.resume(player, number, steps, HAD)
        return state

    def _ask_for_help(self, state: Attempt, number: int) -> Attempt:
        """Record an undo and a hint, and their answers; return the attempt after them."""
        player, journal = state.start.player, self.stored.attempts[state.id]
        undo = self.send(player, "Undo", attempt=state.id, seq=state.seq + 1)
        undone = core.undo(state, self.at)
        state = undone.after
        _append(journal, undone.event)
        self.receive(
            player, play_present.missed_one(state, core.UNDONE, undone.delta, number, self.at), undo
        )
        asked = self.send(player, "Hint", attempt=state.id, seq=state.seq + 1)
        given = core.hint(state, self.at)
        assert given is not None
        state = core.fold(state, given)
        _append(journal, given)
        self.receive(player, play_present.hinted(state, number), asked)
        return state

    def resume(self, player: PlayerId, number: int, steps: list[Step], since: int) -> None:
        """Record that a player resumes after entry `since` and receives the missed moves."""
        self.at += 100
        last = steps[-1].after
        seen = digest(view_of(steps[since - 1].after.board))
        have = {"seq": since, "digest": seen}
        command_id = self.send(player, "attempt.open", attempt=last.id, have=have)
        now = snapshot_of(last, _commitment_of(last.start.deal))
        found = missed_of(steps, now, since, seen)
        assert found is not None, "the digest is right"
        self.receive(player, play_present.missed(found, number, self.at), command_id)


def board_of() -> Board:
    return deal_seed(ruleset(GAME), SEED)


def _commitment_of(deal: DealId) -> str:
    return commitment(deal, SEED)


def _append(journal: list[tuple[str, str]], event: core.Event | Event | Checkpoint) -> None:
    journal.append((f"0-{len(journal) + 1}", msgspec.json.encode(event).decode()))


def correct_recording(allowed: Help = "none") -> Recording:
    """Return the whole recording. The players request the help that the race allows."""
    recording = Recording(ledgers={player: Ledger(player) for player in (ADA, BOB)})
    rules = ruleset(GAME).digest
    fields = {"game": GAME, "variant": "standard", "seed": SEED.hex(), "rules": rules}
    recording.stored.deals[RACED] = {**fields, "commitment": _commitment_of(RACED), "room": CODE}
    recording.stored.deals[TODAY] = {**fields, "commitment": _commitment_of(TODAY), "day": str(DAY)}
    recording.send(ADA, "room.create", game=GAME)
    recording.in_room(RoomOpened(CODE, ADA, GAME, "standard", 2, LIMIT, recording.at, help=allowed))
    assert recording.room is not None
    recording.in_room(race_commands.take_seat(recording.room, ADA, recording.at))
    recording.send(BOB, "room.join", code=CODE)
    recording.in_room(race_commands.take_seat(recording.room, BOB, recording.at))
    recording.send(ADA, "room.lock", code=CODE, locked=True)
    recording.in_room(race_commands.set_lock(recording.room, ADA, True, recording.at))
    recording.send(ADA, "room.start", code=CODE)
    recording.in_room(
        race_commands.start(
            recording.room,
            ADA,
            RACED,
            _commitment_of(RACED),
            recording.at,
            present=[ADA, BOB],
            rules=ruleset(GAME).digest,
            home=ruleset(GAME).home_at_start,
        )
    )
    running = recording.room.running
    assert running is not None
    recording.at = running.starts
    for player in (ADA, BOB):
        times = running.starts, running.deadline
        names = player, RACED, GAME, "standard", CODE
        start = Started(*names, None, *times, rules, allowed)
        result = recording.play(start).result
        recording.in_room(race_commands.finish(recording.room, RACED, player, result, recording.at))
    recording.send(ADA, "daily.open", game=GAME)
    at, closes = recording.at, days.closes(DAY)
    start = Started(ADA, TODAY, GAME, "standard", None, DAY, at, closes, rules, ranked=True)
    _enter(recording, recording.play(start).result)
    return recording


def _enter(recording: Recording, result: Result) -> None:
    assert recording.room is not None
    stored, race_over = recording.stored, effects.race_over(recording.room)
    assert race_over is not None
    before = dict.fromkeys(race_over.results, (RATING, UNCERTAINTY))
    decision = Decision(race_over, before, frozenset([ADA]))
    stored.races[RACED] = {"decided": msgspec.json.encode(decision).decode()}
    earned = points(result, ruleset(GAME).home_at_start)
    assert result.end is not None
    day = DayResult(result.home, result.left, result.time, result.moves, result.end, earned)
    day = replace(day, ranked=True)
    # All moves are made within the first second.
    later = dict.fromkeys([f"{at}:{result.home}" for at in (*SECONDS[1:], "end")], 1)
    stored.curves[DailyId(GAME, DAY)] = {f"0:{ruleset(GAME).home_at_start}": 1, **later}
    for player, other in ((ADA, BOB), (BOB, ADA)):
        stored.met[player] = {other: race_over.at}
        of_race = race_results.results(decision, ())[player]
        # Ada has kept an identity; Bob is a guest.
        found = History(rounds={(GAME, RACED): of_race})
        boards = boards_of_round(GAME, STANDARD)
        if player == ADA:
            found = replace(found, kept=START, days={(GAME, DAY): day})
            boards += boards_of_day(GAME, DAY, "ranked", STANDARD)
        stored.histories[player] = fields_of(found)
        meeting = race_results.meetings(decision).get(player)
        if meeting is not None:
            lately = msgspec.json.encode(Lately((meeting,))).decode()
            stored.histories[player][f"l:{GAME}"] = lately
        for board in boards:
            score = found.score(board)
            if score is not None:
                stored.leaderboards.setdefault(board, {})[player] = score
