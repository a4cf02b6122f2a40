"""Servers that are broken in one way each, to test that the simulation detects it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import msgspec

from server import request
from server.accounts.core import charges as accounts_charges
from server.base.core import costs, keys
from server.base.core.ids import DealId, PlayerId, RoomCode
from server.base.core.quota import HOUR, Charge, Item
from server.base.core.refusal import Refusal
from server.base.journals import store as journals_store
from server.base.journals.core.entry import Append, ConflictError
from server.base.journals.replica import Replica
from server.base.journals.store import JournalStore
from server.base.net.budgets import Guess, Payer
from server.base.nodes import registration
from server.base.outbox.effects import Effect
from server.base.outbox.outbox import Outbox
from server.base.quotas.quotas import Quotas, Scope
from server.base.quotas.store import QuotaStore
from server.base.redis.clock import RedisClock
from server.base.redis.scripts import Script
from server.base.wire import answerer
from server.circles.core import commands as circle_commands
from server.circles.core.circle import Circle, Member
from server.play import attempt_charges as play_charges
from server.play.core.attempt import Attempt
from server.play.journal import AttemptDefinition
from server.play.moves import PendingMove
from server.players import hub
from server.results import leaderboards_store
from server.results.core import contests, race_results
from server.results.core.excerpt import Excerpt
from server.results.core.history import RoundResult
from server.results.core.race_results import Decision, Race
from server.results.histories import Histories
from server.rooms import absences
from server.rooms.core import absence, charges, commands
from server.rooms.core import room as core_race
from server.rooms.core.absence import Absence
from server.rooms.core.commands import leave
from server.rooms.core.events import Event, RoundStarted, SeatLeft
from server.rooms.core.room import Room, Seat
from server.rooms.messages import RoomCommand
from server.rooms.race_recorder import RaceRecorder
from server.rooms.race_records_store import RaceRecord
from server.rooms.room_addresses import RoomAddresses
from server.rooms.rooms import Rooms
from server.watching import watching as service_watching
from server.watching.core import sight as watching
from tests.faults.complaint import Kind
from tests.simulation import faults, hostile, plans, race, work
from tests.simulation.race import patched


@contextmanager
def acknowledges_before_it_appends() -> Iterator[None]:
    """An append is reported as done at once, and carried out afterwards."""
    append: Any = JournalStore.append

    def at_once(self: JournalStore, entry: Append, *given: Any) -> None:
        append(self, entry, *given[:-1], lambda _: None)
        asyncio.get_running_loop().call_soon(given[-1], self.generation(entry.key))

    with patched(JournalStore, "append", at_once):
        yield


@contextmanager
def _often(kind: str) -> Iterator[None]:
    """Make a fault of the store ten times as frequent inside."""
    with patched(faults, "STORE", {**faults.STORE, kind: 10 * faults.STORE[kind]}):
        yield


@contextmanager
def _only(kind: str) -> Iterator[None]:
    """Make one kind the only fault of the store inside, thirty times as frequent.

    Races take less time by that, and no other fault hides its consequences.
    """
    rates = dict.fromkeys(faults.STORE, 0.0) | {kind: 30 * faults.STORE[kind]}
    with patched(faults, "STORE", rates):
        yield


@contextmanager
def ends_without_an_outbox() -> Iterator[None]:
    """The effect of an attempt's end is not stored, and known only to the node that ended it."""
    kind = AttemptDefinition
    append = kind.append

    def without(self: Any, *given: Any) -> Append:
        return append(self, *given)._replace(effect=None)

    with patched(kind, "append", without), _often(faults.KILLED_AFTER):
        yield


@contextmanager
def keeps_what_is_played_no_longer_than_the_rest() -> Iterator[None]:
    """The first move of an attempt does not extend the life of its journal."""
    append = AttemptDefinition.append

    def without(self: Any, *given: Any) -> Append:
        entry = append(self, *given)
        return entry if given[0] is None else entry._replace(expires=None)

    with patched(AttemptDefinition, "append", without):
        yield


@contextmanager
def keeps_without_an_outbox() -> Iterator[None]:
    """The effects of keeping an identity are known only to the node that does it."""

    async def submit(self: Outbox, effect: Effect) -> None:
        await self.apply(effect)

    kept, once = patched(race, "KEPT", 1.0), patched(race, "ONCE", 1.0)
    with patched(Outbox, "submit", submit), kept, once, _often(faults.KILLED_AFTER):
        yield


@contextmanager
def takes_a_conflict_for_success() -> Iterator[None]:
    """A node does not read the entries that a conflict shows it has missed."""
    append: Any = JournalStore.append

    def ignoring_conflicts(self: JournalStore, entry: Append, *given: Any) -> None:
        def done_anyway(reply: int | Exception) -> None:
            is_refused = isinstance(reply, ConflictError)
            given[-1](self.generation(entry.key) if is_refused else reply)

        append(self, entry, *given[:-1], done_anyway)

    with patched(JournalStore, "append", ignoring_conflicts):
        yield


@contextmanager
def _script(script: Script, text: str) -> Iterator[None]:
    """Replace the text of a script inside."""
    other = Script(text)
    Script.all.remove(other)
    with patched(script, "text", other.text), patched(script, "digest", other.digest):
        yield


@contextmanager
def adds_results_that_are_entered_again() -> Iterator[None]:
    """A result that is entered twice is added to the first."""
    text = """
    local before = redis.call('ZSCORE', KEYS[1], ARGV[1]) or 0
    redis.call('ZADD', KEYS[1], before + ARGV[2], ARGV[1])
    return {1, 0}
    """
    with _script(leaderboards_store._PLACE, text):
        yield


@contextmanager
def plays_a_resent_move_again() -> Iterator[None]:
    """The sequence number of a move is ignored."""
    decide = PendingMove.decide

    def broken(self: PendingMove, state: Attempt | None, now: int) -> Any:
        if state is not None:
            self._seq = state.seq + 1
        return decide(self, state, now)

    with patched(PendingMove, "decide", broken):
        yield


@contextmanager
def appends_at_any_time() -> Iterator[None]:
    """A node with a wrong clock ends attempts before their time is up."""
    with patched(journals_store, "CLOCK_TOLERANCE_MS", 10**15):
        yield


@contextmanager
def never_samples_the_clock_again() -> Iterator[None]:
    """A node whose clock has jumped shows cards early."""
    sample = RedisClock.sample

    async def once(self: RedisClock) -> None:
        if self._bounds is None:
            await sample(self)

    with patched(RedisClock, "sample", once):
        yield


@contextmanager
def forgets_a_deadline_that_has_not_passed() -> Iterator[None]:
    """A deadline seen early by a wrong clock counts as passed, though nothing was ended."""
    pass_deadline = Rooms.pass_deadline

    async def broken(self: Rooms, code: RoomCode) -> bool:
        await pass_deadline(self, code)
        return True

    with patched(Rooms, "pass_deadline", broken), _only(faults.CLOCK_JUMP):
        yield


@contextmanager
def appends_after_any_entry() -> Iterator[None]:
    """An append checks only the number of the last entry, and not that it is the same entry.

    That matters only where the store has lost something: here it does so in every race.
    """
    script = journals_store._APPEND
    compares = "previous ~= '' and last[2][2] ~= previous"
    assert compares in script.text
    append: Any = JournalStore.append

    def on_any(self: JournalStore, entry: Append, at: int, _: int, *given: Any) -> None:
        append(self, entry, at, 0, *given)

    with (
        _script(script, script.text.replace(compares, "false")),
        _losses(),
        _taken_for_current(),
        patched(JournalStore, "append", on_any),
    ):
        yield


@contextmanager
def uses_states_of_older_connections() -> Iterator[None]:
    """A state read on one connection is used on the next, though the store may have lost it."""
    append: Any = JournalStore.append

    def on_this(self: JournalStore, entry: Append, at: int, _: int, *given: Any) -> None:
        append(self, entry, at, self.generation(entry.key), *given)

    with (
        _losses(),
        _taken_for_current(),
        patched(JournalStore, "append", on_this),
    ):
        yield


@contextmanager
def _taken_for_current() -> Iterator[None]:
    """Take a replica for current on any connection."""

    def is_current(self: Replica[Any, Any]) -> bool:
        key = self._definition.key()
        return self._machine.generation != 0 and self._journals.generation(key) != 0

    with patched(Replica, "_is_current", is_current):
        yield


@contextmanager
def _losses() -> Iterator[None]:
    """Make the store lose something in each race, with few other faults.

    A stale replica matters only if it was not refreshed since, while the same player plays on
    another node: each refresh finds the loss.
    """
    often = {**faults.OTHERS, faults.SECOND_DEVICE: 0.5, faults.BUS_MESSAGE_LOST: 0.5}
    with (
        patched(race, "TAIL_LOST", 1.0),
        patched(race, "LOSS_INTERVAL", (0.2, 1.0)),
        patched(faults, "STORE", dict.fromkeys(faults.STORE, 0.0)),
        patched(faults, "NETWORK", dict.fromkeys(faults.NETWORK, 0.0)),
        patched(faults, "OTHERS", often),
    ):
        yield


@contextmanager
def frees_seats_in_a_round() -> Iterator[None]:
    """A member who is away for long loses the seat while a round is run, too."""
    observe: Any = absence.observe

    def always_idle(before: Absence | None, *given: Any) -> Absence | None:
        found: Absence | None = observe(before, *given)
        if found is None or found.idle is not None:
            return found
        return replace(found, idle=min(found.since.values()))

    with (
        patched(absences, "observe", always_idle),
        patched(commands, "free_seat", leave),
        patched(plans, "HOSTING", 0.5),
        patched(plans, "VANISHED", (5.0, 15.0)),
    ):
        yield


@contextmanager
def shows_racers_the_others_boards() -> Iterator[None]:
    """Players of a round may watch it at once, done or not."""
    sight: Any = watching.sight

    def everything(room: Room, player: PlayerId, *, has_key: bool) -> Any:
        runs = room.round is not None and player in room.round.players
        return "live" if runs else sight(room, player, has_key=has_key)

    with patched(watching, "sight", everything):
        yield


@contextmanager
def follows_hosts_by_members_who_are_away() -> Iterator[None]:
    """A host who is away is followed by the longest seated other member, present or not.

    Members vanish often and for long, and nodes notice soon if another one has died.
    """
    replace_host: Any = commands.replace_host

    def by_anybody(room: Room, host: PlayerId, present: Any, now: int) -> Event | None:
        others = {seat.player for seat in room.seats} - {host}
        found: Event | None = replace_host(room, host, others - set(present) or present, now)
        return found

    with (
        patched(commands, "replace_host", by_anybody),
        patched(keys, "NODE_LIFE_S", 2),
        patched(registration, "RENEW_EVERY", 0.5),
        patched(absence, "SEAT_ABSENCE_MS", 30_000),
        patched(plans, "HOSTING", 0.5),
        patched(plans, "VANISHED", (5.0, 15.0)),
    ):
        yield


@contextmanager
def shows_watchers_moves_at_once() -> Iterator[None]:
    """Watchers of a round see it without a delay."""
    with patched(service_watching, "WATCH_DELAY_MS", 0):
        yield


@contextmanager
def rates_races_by_what_it_finds() -> Iterator[None]:
    """Races are applied from the ratings as they are, and no decision is kept.

    Applying it takes so long that a sweeper does so, too.
    """

    async def decided(self: RaceRecorder, over: Race) -> RaceRecord:
        players = list(over.results)
        of = [(over.game, over.deal)]
        found = await self._histories.excerpts(players, (), of)
        known = dict(zip(players, found, strict=True))
        decision = race_results.decide(
            over,
            {player: each.rating(over.game)[:2] for player, each in known.items()},
            {player: each.kept for player, each in known.items()},
            {player: each.met_before(over) for player, each in known.items()},
            {},
        )
        text = msgspec.json.encode(decision).decode()
        await self._store.decide(over.deal, text)
        return RaceRecord(text, frozenset())

    async def write(self: RaceRecorder, deal: DealId, record: RaceRecord) -> None:
        decision = msgspec.json.decode(record.decided, type=Decision)
        met = race_results.meetings(decision)
        for player, result in race_results.results(decision, ()).items():
            await self._histories.add_round(
                player, decision.race.game, deal, result, met.get(player)
            )
            await asyncio.sleep(2.5)

    kept, at_once = patched(race, "KEPT", 1.0), patched(race, "AT_ONCE", 1.0)
    written = patched(RaceRecorder, "_write", write)
    with patched(RaceRecorder, "_decided", decided), written, kept, at_once:
        yield


@contextmanager
def rates_races_that_end_together_from_the_same() -> Iterator[None]:
    """A race claims nobody, and takes so long to be decided that the next one is over by then."""
    networks = RoomAddresses.networks

    async def claim(self: RaceRecorder, player: PlayerId, over: Race) -> None:
        """Claim nothing."""

    async def late(self: RoomAddresses, code: RoomCode) -> dict[PlayerId, str]:
        await asyncio.sleep(6.0)
        return await networks(self, code)

    with (
        patched(RaceRecorder, "_claim", claim),
        patched(RoomAddresses, "networks", late),
        patched(race, "KEPT", 1.0),
        patched(race, "AT_ONCE", 1.0),
        patched(race, "HELP", ("none",)),
        patched(race, "ROUNDS", (2, 3, 3)),
    ):
        yield


@contextmanager
def writes_scores_without_looking_back() -> Iterator[None]:
    """Scores are written once, though the history may have changed since it was read."""

    async def write(
        self: Histories, player: PlayerId, found: Excerpt, boards: Any, curves: Any = None
    ) -> None:
        for board in boards:
            own = board._replace(group=found.group_on(board))
            await self._leaderboards.place(own, player, found.score(own))

    with (
        patched(Histories, "_write", write),
        patched(race, "DAILIES", 1.0),
        patched(race, "KEPT", 1.0),
    ):
        yield


NOTHING_ELSE = {"GUESSING": 0.0, "FILLING": 0.0, "BURDENING": 0.0}
"""What hostile players do otherwise, beside playing."""


@contextmanager
def _hostile(*kinds: str, **often: float) -> Iterator[None]:
    """Put hostile players into every race, who do some things and not others."""
    with ExitStack() as stack:
        stack.enter_context(patched(race, "HOSTILE", 1.0))
        stack.enter_context(patched(hostile, "KINDS", kinds or hostile.KINDS))
        for name, value in (NOTHING_ELSE | often).items():
            stack.enter_context(patched(hostile, name, value))
        yield


@contextmanager
def lets_hosts_remove_runners() -> Iterator[None]:
    """A host may remove a member from a round that runs."""

    def remove(room: Room, host: PlayerId, player: PlayerId, now: int) -> Event | None:
        commands.check_host(room, host)
        seated = player != host and room.seat_of(player)
        return SeatLeft(player, now, host) if seated else None

    with patched(commands, "remove", remove), _hostile("public"):
        yield


@contextmanager
def starts_rematches_for_all() -> Iterator[None]:
    """A round is started for all who do not sit out, whether they have agreed."""
    start: Any = commands.start

    def for_all(room: Room, *given: Any, **named: Any) -> Event:
        seats = tuple(replace(seat, ready=not seat.out) for seat in room.seats)
        begun: Event = start(replace(room, seats=seats), *given, **named)
        return begun

    with patched(commands, "start", for_all), _hostile("friends"):
        yield


@contextmanager
def lets_anybody_run_a_quick_match() -> Iterator[None]:
    """In a quick match, every member may do what a host may."""

    def check_host(room: Room, player: PlayerId) -> None:
        commands.check_member(room, player)
        if room.host not in {None, player}:
            raise Refusal("not_host")

    with patched(commands, "check_host", check_host), _hostile("quick"):
        yield


@contextmanager
def rates_wins_against_who_has_not_played() -> Iterator[None]:
    """A run counts as a try whatever its player has done."""

    def has_played(_: object) -> bool:
        return True

    with patched(contests, "has_played", has_played), _rated("quick"):
        yield


@contextmanager
def ranks_races_that_were_no_contest() -> Iterator[None]:
    """Whoever had kept an identity has won a race whatever the others did, wherever they were."""

    def counts(self: RoundResult) -> bool:
        return self.ranked and not self.void

    with patched(RoundResult, "counts", property(counts)), _rated("quick"):
        yield


@contextmanager
def rates_races_at_one_address() -> Iterator[None]:
    """It does not matter for ratings where players are."""

    async def nowhere(_: RoomAddresses, __: RoomCode) -> dict[PlayerId, str]:
        return {}

    home = patched(hostile, "HONEST", hostile.HONEST.format(1))
    with patched(RoomAddresses, "networks", nowhere), home, _rated("friends"):
        yield


@contextmanager
def _rated(*kinds: str) -> Iterator[None]:
    kept, at_once = patched(race, "KEPT", 1.0), patched(race, "AT_ONCE", 1.0)
    with kept, at_once, _hostile(*kinds):
        yield


@contextmanager
def tells_whoever_has_no_seat_that_there_is_a_room() -> Iterator[None]:
    """Players without a seat are told that, and not that there is no such room."""

    def check_member(room: Room, player: PlayerId) -> Seat:
        seat = room.seat_of(player)
        if seat is None:
            raise Refusal("not_seated")
        return seat

    with patched(commands, "check_member", check_member), _hostile(GUESSING=1.0):
        yield


@contextmanager
def charges_for_rounds_before_it_looks() -> Iterator[None]:
    """A round is charged to an address before it is known whether somebody may start it."""

    async def check_member(self: Rooms, code: RoomCode, player: PlayerId) -> None:
        """Check nothing."""

    only = patched(hostile, "FILLED", hostile.ELSEWHERE[1])
    # Commands cost nothing: who fills an address has to be quick, and is told of that first.
    free = patched(Payer, "pay", lambda *_: True)
    with (
        patched(Rooms, "check_member", check_member),
        free,
        only,
        _hostile(GUESSING=1.0, FILLING=1.0),
    ):
        yield


@contextmanager
def lets_guesses_cost_nothing() -> Iterator[None]:
    """The commands of a room are not taken for guesses, but for those that need no seat."""
    with (
        patched(RoomCommand, "misses", frozenset()),
        patched(answerer, "MISSES", frozenset()),
        _hostile(GUESSING=1.0),
    ):
        yield


@contextmanager
def lets_watch_keys_live_on() -> Iterator[None]:
    """A watch key is good for as long as its room, whatever its host does."""
    with patched(core_race, "_ends_watch_keys", lambda *_: False), _hostile("public"):
        yield


@contextmanager
def shows_boards_once_a_room_is_closed_to_strangers() -> Iterator[None]:
    """A round's boards go by whether its room is public as it starts, not by how players came."""
    folded: Any = core_race._folded

    def by_room(room: Room, event: Event) -> Room:
        after: Room = folded(room, event)
        if isinstance(event, RoundStarted) and after.round is not None:
            return replace(after, round=replace(after.round, public=room.public))
        return after

    with patched(core_race, "_folded", by_room), _hostile("public"):
        yield


@contextmanager
def shows_circles_to_whoever_knows_the_id() -> Iterator[None]:
    """Commands on a circle are carried out for everybody."""

    def first(circle: Circle, _: PlayerId) -> Member:
        return circle.members[0]

    with patched(circle_commands, "check_member", first):
        yield


@contextmanager
def lets_neighbours_pay_for_guesses() -> Iterator[None]:
    """All at an address share what guesses cost, whether they have been wrong or not."""

    def guess(self: Payer) -> Guess:
        now, buckets = self._budgets.clock(), [each.misses for each in self._scopes]
        wait = max(each.wait(now) for each in buckets)
        if wait:
            raise Refusal("too_fast", wait=math.ceil(wait * 1000))
        for each in buckets:
            each.take(now)
        return Guess(*buckets)

    with patched(Payer, "guess", guess), _guessed_nearby():
        yield


@contextmanager
def lets_guesses_be_owed() -> Iterator[None]:
    """A guess that is refused is paid for later, by all at its address."""

    def guess(self: Payer) -> Guess:
        now, buckets = self._budgets.clock(), [each.misses for each in self._scopes]
        wait = max(each.wait(now) for each in buckets)
        for each in buckets:
            if not each.take(now):
                each.give_back(-1.0)
        if wait:
            raise Refusal("too_fast", wait=math.ceil(wait * 1000))
        return Guess(*buckets)

    with patched(Payer, "guess", guess), _guessed_nearby():
        yield


@contextmanager
def _guessed_nearby() -> Iterator[None]:
    """Let all guess at the address of somebody honest, who signs in."""
    first = hostile.HONEST.format(1)
    here, filled = patched(hostile, "ELSEWHERE", (first, first)), patched(hostile, "FILLED", first)
    with here, filled, _hostile("friends", GUESSING=1.0, SIGNING_IN=1.0):
        yield


@contextmanager
def has_one_quota_for_all() -> Iterator[None]:
    """Stored bytes count for everybody together, and not for an address."""

    def everywhere(_: str) -> tuple[Scope, ...]:
        return (Scope("everywhere"),)

    with (
        patched(request, "scopes_of", everywhere),
        patched(hub, "scopes_of", everywhere),
        _hostile(FILLING=1.0),
    ):
        yield


@contextmanager
def stores_rooms_for_nothing() -> Iterator[None]:
    """An empty room is not counted for the address that has it."""
    with patched(charges, "ROOM", ()), _hostile("friends", FILLING=1.0):
        yield


@contextmanager
def counts_what_is_stored_on_each_node_alone() -> Iterator[None]:
    """An address has a quota on each node, and a new one when that is started again."""
    charge: Any = QuotaStore.charge
    nodes: dict[QuotaStore, int] = {}

    async def own(self: QuotaStore, place: str, *given: Any) -> Charge:
        number = nodes.setdefault(self, len(nodes))
        charged: Charge = await charge(self, f"{place}{number}", *given)
        return charged

    with patched(QuotaStore, "charge", own), _hostile("friends", FILLING=1.0):
        yield


@contextmanager
def stores_moves_for_nothing() -> Iterator[None]:
    """The entries of an attempt are not counted, but for what the first one keeps."""
    with patched(play_charges, "ENTRY_BYTES", 0), _charged("friends"):
        yield


@contextmanager
def stores_credentials_for_nothing() -> Iterator[None]:
    """Neither a recovery code that is offered nor one that is kept is counted."""
    free = patched(accounts_charges, "OFFER", ()), patched(accounts_charges, "CODE", ())
    kept, at_once = patched(race, "KEPT", 1.0), patched(race, "AT_ONCE", 1.0)
    with free[0], free[1], kept, at_once, _charged("friends"):
        yield


@contextmanager
def counts_what_is_played_for_an_hour() -> Iterator[None]:
    """Attempts count until the deadline, though it is kept for long after that."""
    note = Quotas.note

    def briefly(self: Quotas, player: PlayerId, *items: Item) -> None:
        note(self, player, *(Item(item.size, min(item.life, HOUR)) for item in items))

    with patched(Quotas, "note", briefly), _charged("friends"):
        yield


@contextmanager
def judges_moves_for_nothing() -> Iterator[None]:
    """A hint costs the same, however many moves are judged for it."""
    with patched(costs, "JUDGED", 0.0), _burdened():
        yield


@contextmanager
def makes_tables_of_rules_for_nothing() -> Iterator[None]:
    """Rules that a player has made up cost nothing, whether the node has tables of them."""

    def pay_for_rules(self: request.Request[Any], game: str, variant: str) -> None:
        """Charge nothing."""

    with patched(request.Request, "pay_for_rules", pay_for_rules), _burdened():
        yield


@contextmanager
def _burdened() -> Iterator[None]:
    """Weigh all commands, and let somebody send those that make work."""
    with patched(work, "WEIGHED", 1.0), _hostile("friends", BURDENING=1.0):
        yield


@contextmanager
def _charged(*kinds: str) -> Iterator[None]:
    """Let no node die, and no clock jump: what would have been charged then is not known."""
    often = dict.fromkeys((faults.KILLED_BEFORE, faults.KILLED_AFTER, faults.CLOCK_JUMP), 0.0)
    with patched(faults, "STORE", {**faults.STORE, **often}), _hostile(*kinds):
        yield


BROKEN: dict[Callable[[], Any], int] = {
    acknowledges_before_it_appends: 4,
    ends_without_an_outbox: 34,
    keeps_what_is_played_no_longer_than_the_rest: 2,
    keeps_without_an_outbox: 77,
    takes_a_conflict_for_success: 9,
    adds_results_that_are_entered_again: 9,
    plays_a_resent_move_again: 3,
    appends_at_any_time: 11,
    never_samples_the_clock_again: 5,
    forgets_a_deadline_that_has_not_passed: 77,
    frees_seats_in_a_round: 42,
    follows_hosts_by_members_who_are_away: 264,
    shows_racers_the_others_boards: 19,
    shows_watchers_moves_at_once: 79,
    rates_races_by_what_it_finds: 20,
    rates_races_that_end_together_from_the_same: 143,
    writes_scores_without_looking_back: 2,
    shows_circles_to_whoever_knows_the_id: 25,
}
"""Those that a race detects, and the first seed that is tried, whose race does."""

BROKEN_AFTER_LOSS = [appends_after_any_entry, uses_states_of_older_connections]
"""Those that matter only after the store has lost something that a node still holds."""

BROKEN_AMONG_STRANGERS: dict[Callable[[], Any], tuple[Kind, int]] = {
    lets_hosts_remove_runners: ("decided", 15),
    starts_rematches_for_all: ("decided", 3),
    lets_anybody_run_a_quick_match: ("decided", 2),
    rates_wins_against_who_has_not_played: ("decided", 27),
    ranks_races_that_were_no_contest: ("decided", 27),
    rates_races_at_one_address: ("decided", 29),
    tells_whoever_has_no_seat_that_there_is_a_room: ("told", 1),
    charges_for_rounds_before_it_looks: ("told", 102),
    lets_guesses_cost_nothing: ("told", 2),
    lets_watch_keys_live_on: ("told", 15),
    shows_boards_once_a_room_is_closed_to_strangers: ("told", 39),
    lets_neighbours_pay_for_guesses: ("kept out", 19),
    lets_guesses_be_owed: ("kept out", 7),
    has_one_quota_for_all: ("kept out", 11),
    stores_rooms_for_nothing: ("overfull", 14),
    counts_what_is_stored_on_each_node_alone: ("overfull", 14),
    stores_moves_for_nothing: ("overfull", 13),
    stores_credentials_for_nothing: ("overfull", 2),
    counts_what_is_played_for_an_hour: ("overfull", 2),
    judges_moves_for_nothing: ("unpaid", 1),
    makes_tables_of_rules_for_nothing: ("unpaid", 0),
}
"""Those that let players do what they may not: what is complained of, and the first seed."""
