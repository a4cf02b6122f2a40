"""Servers with one defect each, to test that the simulation detects it."""

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
    """Acknowledge an append immediately and carry it out afterwards."""
    append: Any = JournalStore.append

    def at_once(self: JournalStore, entry: Append, *given: Any) -> None:
        append(self, entry, *given[:-1], lambda _: None)
        asyncio.get_running_loop().call_soon(given[-1], self.generation(entry.key))

    with patched(JournalStore, "append", at_once):
        yield


@contextmanager
def _often(kind: str) -> Iterator[None]:
    with patched(faults, "STORE", {**faults.STORE, kind: 10 * faults.STORE[kind]}):
        yield


@contextmanager
def _only(kind: str) -> Iterator[None]:
    """Make one kind the only store fault, thirty times as frequent.

    This makes races faster, and no other fault hides its consequences.
    """
    rates = dict.fromkeys(faults.STORE, 0.0) | {kind: 30 * faults.STORE[kind]}
    with patched(faults, "STORE", rates):
        yield


@contextmanager
def ends_without_an_outbox() -> Iterator[None]:
    """Keep the effect of an attempt's end in the memory of the node that ended it."""
    kind = AttemptDefinition
    append = kind.append

    def without(self: Any, *given: Any) -> Append:
        return msgspec.structs.replace(append(self, *given), effect=None)

    with patched(kind, "append", without), _often(faults.KILLED_AFTER):
        yield


@contextmanager
def does_not_extend_played_attempts() -> Iterator[None]:
    """Do not extend a journal's expiry when its attempt's first move is played."""
    append = AttemptDefinition.append

    def without(self: Any, *given: Any) -> Append:
        entry = append(self, *given)
        return entry if given[0] is None else msgspec.structs.replace(entry, expires=None)

    with patched(AttemptDefinition, "append", without):
        yield


@contextmanager
def keeps_without_an_outbox() -> Iterator[None]:
    """Keep the effects of keeping an identity in the memory of the node that does it."""

    async def submit(self: Outbox, effect: Effect) -> None:
        await self.apply(effect)

    kept, once = patched(race, "KEPT", 1.0), patched(race, "ONCE", 1.0)
    with patched(Outbox, "submit", submit), kept, once, _often(faults.KILLED_AFTER):
        yield


@contextmanager
def treats_a_conflict_as_success() -> Iterator[None]:
    """Do not read the entries that an append conflict shows to be missing."""
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
    other = Script(text)
    Script.all.remove(other)
    with patched(script, "text", other.text), patched(script, "digest", other.digest):
        yield


@contextmanager
def adds_up_repeated_results() -> Iterator[None]:
    """Add a result that is entered twice to the first."""
    text = """
    local before = redis.call('ZSCORE', KEYS[1], ARGV[1]) or 0
    redis.call('ZADD', KEYS[1], before + ARGV[2], ARGV[1])
    return {1, 0}
    """
    with _script(leaderboards_store._PLACE, text):
        yield


@contextmanager
def replays_resent_moves() -> Iterator[None]:
    """Ignore the sequence number of a move."""
    decide = PendingMove.decide

    def broken(self: PendingMove, state: Attempt | None, now: int) -> Any:
        if state is not None:
            self._seq = state.seq + 1
        return decide(self, state, now)

    with patched(PendingMove, "decide", broken):
        yield


@contextmanager
def appends_at_any_time() -> Iterator[None]:
    """Let a node with a wrong clock end attempts early."""
    with patched(journals_store, "CLOCK_TOLERANCE_MS", 10**15):
        yield


@contextmanager
def never_samples_the_clock_again() -> Iterator[None]:
    """Let a node whose clock has jumped show cards early."""
    sample = RedisClock.sample

    async def once(self: RedisClock) -> None:
        if self._bounds is None:
            await sample(self)

    with patched(RedisClock, "sample", once):
        yield


@contextmanager
def drops_a_deadline_seen_early() -> Iterator[None]:
    """Treat a deadline seen early by a wrong clock as passed, without ending anything."""
    pass_deadline = Rooms.pass_deadline

    async def broken(self: Rooms, code: RoomCode) -> bool:
        await pass_deadline(self, code)
        return True

    with patched(Rooms, "pass_deadline", broken), _only(faults.CLOCK_JUMP):
        yield


@contextmanager
def appends_without_comparing_the_last_entry() -> Iterator[None]:
    """Check only the number of the last entry before an append, not its contents.

    This matters only after the store has lost something, so it does in every race here.
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
def uses_replicas_of_older_connections() -> Iterator[None]:
    """Keep using a replica after a reconnect, although the store may have lost its last entries."""
    append: Any = JournalStore.append

    def on_this(self: JournalStore, entry: Append, at: int, _: int, *given: Any) -> None:
        append(self, entry, at, self.generation(entry.key), *given)

    with _losses(), _taken_for_current(), patched(JournalStore, "append", on_this):
        yield


@contextmanager
def _taken_for_current() -> Iterator[None]:
    def is_current(self: Replica[Any, Any]) -> bool:
        key = self._definition.key()
        return self._machine.generation != 0 and self._journals.generation(key) != 0

    with patched(Replica, "_is_current", is_current):
        yield


@contextmanager
def _losses() -> Iterator[None]:
    """Make the store lose something in each race, with few other faults.

    A stale replica matters only if it has not been refreshed since and the same player plays on
    another node, as every refresh finds the loss.
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
    observe: Any = absence.observe

    def always_idle(before: Absence | None, *given: Any) -> Absence | None:
        found: Absence | None = observe(before, *given)
        if found is None or found.idle is not None:
            return found
        return replace(found, idle=min(found.since.values()))

    with (
        patched(absences, "observe", always_idle),
        patched(commands, "free_seat", lambda room, player, *rest: leave(room, player, rest[-1])),
        patched(plans, "HOSTING", 0.5),
        patched(plans, "VANISHED", (5.0, 15.0)),
    ):
        yield


@contextmanager
def shows_racers_the_others_boards() -> Iterator[None]:
    """Let a round's players watch it before they have finished."""
    sight: Any = watching.sight

    def everything(room: Room, player: PlayerId, *, has_key: bool) -> Any:
        runs = room.round is not None and player in room.round.players
        return "live" if runs else sight(room, player, has_key=has_key)

    with patched(watching, "sight", everything):
        yield


@contextmanager
def makes_absent_members_host() -> Iterator[None]:
    """Pass the host role to the longest-seated other member, present or not.

    Members vanish often and for long, and nodes soon notice if another one has died.
    """
    replace_host: Any = commands.replace_host

    def by_anybody(room: Room, host: PlayerId, taken: int, present: Any, now: int) -> Event | None:
        others = {seat.player for seat in room.seats} - {host}
        present = others - set(present) or present
        found: Event | None = replace_host(room, host, taken, present, now)
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
def shows_spectators_moves_without_delay() -> Iterator[None]:
    with patched(service_watching, "WATCH_DELAY_MS", 0):
        yield


@contextmanager
def rates_races_from_current_ratings() -> Iterator[None]:
    """Rate races from the current ratings and store no decision.

    Applying a race takes so long that a sweeper applies it too.
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
def rates_overlapping_races_from_the_same_ratings() -> Iterator[None]:
    """Claim no player of a race, and decide so slowly that their next race ends meanwhile."""
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
def writes_scores_without_rereading_the_history() -> Iterator[None]:
    """Write scores once, although the history may have changed since it was read."""

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
"""Rates of the activities other than playing."""


@contextmanager
def _hostile(*kinds: str, **often: float) -> Iterator[None]:
    with ExitStack() as stack:
        stack.enter_context(patched(race, "HOSTILE", 1.0))
        stack.enter_context(patched(hostile, "KINDS", kinds or hostile.KINDS))
        for name, value in (NOTHING_ELSE | often).items():
            stack.enter_context(patched(hostile, name, value))
        yield


@contextmanager
def lets_hosts_remove_runners() -> Iterator[None]:
    def remove(room: Room, host: PlayerId, player: PlayerId, now: int) -> Event | None:
        commands.check_host(room, host)
        seated = player != host and room.seat_of(player)
        return SeatLeft(player, now, host) if seated else None

    with patched(commands, "remove", remove), _hostile("public"):
        yield


@contextmanager
def starts_rematches_for_all() -> Iterator[None]:
    """Start a round for all members who do not sit out, whether they have agreed or not."""
    start: Any = commands.start

    def for_all(room: Room, *given: Any, **named: Any) -> Event:
        seats = tuple(replace(seat, ready=not seat.out) for seat in room.seats)
        begun: Event = start(replace(room, seats=seats), *given, **named)
        return begun

    with patched(commands, "start", for_all), _hostile("friends"):
        yield


@contextmanager
def lets_any_member_run_a_quick_match() -> Iterator[None]:
    """Give every member of a quick match the host's rights."""

    def check_host(room: Room, player: PlayerId) -> None:
        commands.check_member(room, player)
        if room.host not in {None, player}:
            raise Refusal("not_host")

    with patched(commands, "check_host", check_host), _hostile("quick"):
        yield


@contextmanager
def rates_wins_against_idle_opponents() -> Iterator[None]:
    """Count every run as played, whatever its player did."""

    def has_played(_: object) -> bool:
        return True

    with patched(contests, "has_played", has_played), _rated("quick"):
        yield


@contextmanager
def ranks_races_without_a_contest() -> Iterator[None]:
    """Rank every race of a player with an identity, wherever and however the opponents played."""

    def counts(self: RoundResult) -> bool:
        return self.ranked and not self.void

    with patched(RoundResult, "counts", property(counts)), _rated("quick"):
        yield


@contextmanager
def rates_races_at_one_address() -> Iterator[None]:
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
def reveals_rooms_to_players_without_a_seat() -> Iterator[None]:
    """Tell players without a seat so, instead of that there is no such room."""

    def check_member(room: Room, player: PlayerId) -> Seat:
        seat = room.seat_of(player)
        if seat is None:
            raise Refusal("not_seated")
        return seat

    with patched(commands, "check_member", check_member), _hostile(GUESSING=1.0):
        yield


@contextmanager
def charges_for_rounds_before_checking() -> Iterator[None]:
    """Charge an address for a round before checking whether the caller may start it."""

    async def check_member(self: Rooms, code: RoomCode, player: PlayerId) -> None:
        """Check nothing."""

    only = patched(hostile, "FILLED", hostile.ELSEWHERE[1])
    # Commands are free. Otherwise a player who fills an address must be fast enough to reach the
    # quota before the rate limit.
    free = patched(Payer, "pay", lambda *_: True)
    with (
        patched(Rooms, "check_member", check_member),
        free,
        only,
        _hostile(GUESSING=1.0, FILLING=1.0),
    ):
        yield


@contextmanager
def does_not_charge_for_guesses() -> Iterator[None]:
    """Do not charge a room's commands as guesses, except those that need no seat."""
    with (
        patched(RoomCommand, "misses", frozenset()),
        patched(answerer, "MISSES", frozenset()),
        _hostile(GUESSING=1.0),
    ):
        yield


@contextmanager
def keeps_watch_keys_valid() -> Iterator[None]:
    """Keep a watch key valid as long as its room, whatever the host does."""
    with patched(core_race, "_ends_watch_keys", lambda *_: False), _hostile("public"):
        yield


@contextmanager
def shows_boards_after_a_room_turns_private() -> Iterator[None]:
    """Show boards by whether the room is public at the start, not by how players joined."""
    folded: Any = core_race._folded

    def by_room(room: Room, event: Event) -> Room:
        after: Room = folded(room, event)
        if isinstance(event, RoundStarted) and after.round is not None:
            return replace(after, round=replace(after.round, public=room.public))
        return after

    with patched(core_race, "_folded", by_room), _hostile("public"):
        yield


@contextmanager
def shows_circles_to_anyone_with_the_id() -> Iterator[None]:
    """Carry out commands on a circle for non-members."""

    def first(circle: Circle, _: PlayerId) -> Member:
        return circle.members[0]

    with patched(circle_commands, "check_member", first):
        yield


@contextmanager
def charges_neighbours_for_guesses() -> Iterator[None]:
    """Charge everyone at an address for guesses, right or wrong."""

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
def charges_for_guesses_later() -> Iterator[None]:
    """Charge a refused guess later, to everyone at its address."""

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
    """Make all guesses from the address of an honest player who signs in."""
    first = hostile.HONEST.format(1)
    here, filled = patched(hostile, "ELSEWHERE", (first, first)), patched(hostile, "FILLED", first)
    with here, filled, _hostile("friends", GUESSING=1.0, SIGNING_IN=1.0):
        yield


@contextmanager
def shares_one_quota_among_all_addresses() -> Iterator[None]:
    """Count stored bytes for all addresses together."""

    def everywhere(_: str) -> tuple[Scope, ...]:
        return (Scope("everywhere"),)

    with (
        patched(request, "scopes_of", everywhere),
        patched(hub, "scopes_of", everywhere),
        _hostile(FILLING=1.0),
    ):
        yield


@contextmanager
def does_not_charge_for_rooms() -> Iterator[None]:
    with patched(charges, "ROOM", ()), _hostile("friends", FILLING=1.0):
        yield


@contextmanager
def counts_stored_bytes_per_node() -> Iterator[None]:
    """Give an address a separate quota on each node, renewed when the node restarts."""
    charge: Any = QuotaStore.charge
    nodes: dict[QuotaStore, int] = {}

    async def own(self: QuotaStore, place: str, *given: Any) -> Charge:
        number = nodes.setdefault(self, len(nodes))
        charged: Charge = await charge(self, f"{place}{number}", *given)
        return charged

    with patched(QuotaStore, "charge", own), _hostile("friends", FILLING=1.0):
        yield


@contextmanager
def does_not_charge_for_moves() -> Iterator[None]:
    """Do not charge the entries of an attempt, except those of the first one."""
    with patched(play_charges, "ENTRY_BYTES", 0), _charged("friends"):
        yield


@contextmanager
def does_not_charge_for_credentials() -> Iterator[None]:
    """Charge neither offered nor kept recovery codes."""
    free = patched(accounts_charges, "OFFER", ()), patched(accounts_charges, "CODE", ())
    kept, at_once = patched(race, "KEPT", 1.0), patched(race, "AT_ONCE", 1.0)
    with free[0], free[1], kept, at_once, _charged("friends"):
        yield


@contextmanager
def charges_attempts_for_an_hour() -> Iterator[None]:
    """Charge attempts until the deadline, although they are stored for much longer."""
    note = Quotas.note

    def briefly(self: Quotas, player: PlayerId, *items: Item) -> None:
        note(self, player, *(Item(item.size, min(item.life, HOUR)) for item in items))

    with patched(Quotas, "note", briefly), _charged("friends"):
        yield


@contextmanager
def does_not_charge_for_judged_moves() -> Iterator[None]:
    """Charge the same for a hint, however many moves it judges."""
    with patched(costs, "JUDGED", 0.0), _burdened():
        yield


@contextmanager
def does_not_charge_for_custom_rules() -> Iterator[None]:
    """Charge nothing for custom rules, whether the node has their tables or not."""

    def pay_for_rules(self: request.NodeRequest[Any, Any], game: str, variant: str) -> None:
        """Charge nothing."""

    with patched(request.NodeRequest, "pay_for_rules", pay_for_rules), _burdened():
        yield


@contextmanager
def _burdened() -> Iterator[None]:
    """Meter all commands, and add a player who sends expensive ones."""
    with patched(work, "WEIGHED", 1.0), _hostile("friends", BURDENING=1.0):
        yield


@contextmanager
def _charged(*kinds: str) -> Iterator[None]:
    """Inject no kills or clock jumps, which would make the charges unknown."""
    often = dict.fromkeys((faults.KILLED_BEFORE, faults.KILLED_AFTER, faults.CLOCK_JUMP), 0.0)
    with patched(faults, "STORE", {**faults.STORE, **often}), _hostile(*kinds):
        yield


BROKEN: dict[Callable[[], Any], int] = {
    acknowledges_before_it_appends: 4,
    ends_without_an_outbox: 34,
    does_not_extend_played_attempts: 2,
    keeps_without_an_outbox: 77,
    treats_a_conflict_as_success: 9,
    adds_up_repeated_results: 9,
    replays_resent_moves: 3,
    appends_at_any_time: 11,
    never_samples_the_clock_again: 5,
    drops_a_deadline_seen_early: 77,
    frees_seats_in_a_round: 42,
    makes_absent_members_host: 264,
    shows_racers_the_others_boards: 19,
    shows_spectators_moves_without_delay: 79,
    rates_races_from_current_ratings: 20,
    rates_overlapping_races_from_the_same_ratings: 328,
    writes_scores_without_rereading_the_history: 2,
    shows_circles_to_anyone_with_the_id: 25,
}
"""Broken servers that a race detects, each with the first seed tried, whose race detects it."""

BROKEN_AFTER_LOSS = [appends_without_comparing_the_last_entry, uses_replicas_of_older_connections]
"""Broken servers that matter only after the store lost something that a node still holds."""

BROKEN_AMONG_STRANGERS: dict[Callable[[], Any], tuple[Kind, int]] = {
    lets_hosts_remove_runners: ("decided", 15),
    starts_rematches_for_all: ("decided", 3),
    lets_any_member_run_a_quick_match: ("decided", 2),
    rates_wins_against_idle_opponents: ("decided", 27),
    ranks_races_without_a_contest: ("decided", 27),
    rates_races_at_one_address: ("decided", 29),
    reveals_rooms_to_players_without_a_seat: ("told", 1),
    charges_for_rounds_before_checking: ("told", 102),
    does_not_charge_for_guesses: ("told", 2),
    keeps_watch_keys_valid: ("told", 15),
    shows_boards_after_a_room_turns_private: ("told", 39),
    charges_neighbours_for_guesses: ("kept out", 19),
    charges_for_guesses_later: ("kept out", 7),
    shares_one_quota_among_all_addresses: ("kept out", 11),
    does_not_charge_for_rooms: ("overfull", 14),
    counts_stored_bytes_per_node: ("overfull", 14),
    does_not_charge_for_moves: ("overfull", 13),
    does_not_charge_for_credentials: ("overfull", 2),
    charges_attempts_for_an_hour: ("overfull", 2),
    does_not_charge_for_judged_moves: ("unpaid", 1),
    does_not_charge_for_custom_rules: ("unpaid", 0),
}
"""Broken servers that allow forbidden conduct, with the kind of complaint and the first seed."""
