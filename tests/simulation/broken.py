"""Servers with one defect each, to test that the simulation detects it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import msgspec

from server import handlers, request
from server.accounts.core import charges as accounts_charges
from server.base.core import costs, keys
from server.base.core.ids import DealId, PlayerId, RoomCode
from server.base.core.quota import HOUR, Charge, Item
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.journals import batch_store
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
from server.results.leaderboards_store import Placement
from server.rooms import absences
from server.rooms.core import absence, charges, commands
from server.rooms.core import room as core_race
from server.rooms.core.absence import Absence
from server.rooms.core.commands import leave
from server.rooms.core.events import Event, RoundStarted, SeatLeft
from server.rooms.core.refusals import RoomRefusals
from server.rooms.core.room import Room, Seat
from server.rooms.messages import RoomCommand
from server.rooms.race_recorder import RaceRecorder
from server.rooms.race_records_store import RaceRecord
from server.rooms.room_addresses import RoomAddresses
from server.rooms.rooms import Rooms
from server.watching import watching as service_watching
from server.watching.core import sight as watching
from tests.clients import plans
from tests.faults.complaint import Kind
from tests.simulation import faults, hostile, race, work
from tests.simulation.race import patched

Patches = AbstractContextManager[None]


@contextmanager
def together(*patches: Patches) -> Iterator[None]:
    """Apply several patches."""
    with ExitStack() as stack:
        for each in patches:
            stack.enter_context(each)
        yield


def acknowledges_before_it_appends() -> Patches:
    """Acknowledge an append immediately and carry it out afterwards."""
    append: Any = JournalStore.append

    def at_once(self: JournalStore, entry: Append, *given: Any) -> None:
        append(self, entry, *given[:-1], lambda _: None)
        asyncio.get_running_loop().call_soon(given[-1], self.generation(entry.key))

    return patched(JournalStore, "append", at_once)


def _often(kind: str) -> Patches:
    return patched(faults, "STORE", {**faults.STORE, kind: 10 * faults.STORE[kind]})


def _only(kind: str) -> Patches:
    """Make one kind the only store fault, thirty times as frequent.

    This makes races faster, and no other fault hides its consequences.
    """
    rates = dict.fromkeys(faults.STORE, 0.0) | {kind: 30 * faults.STORE[kind]}
    return patched(faults, "STORE", rates)


def ends_without_an_outbox() -> Patches:
    """Keep the effect of an attempt's end in the memory of the node that ended it."""
    kind = AttemptDefinition
    append = kind.append

    def without(self: Any, *given: Any) -> Append:
        return msgspec.structs.replace(append(self, *given), effect=None)

    return together(patched(kind, "append", without), _often(faults.KILLED_AFTER))


def does_not_extend_played_attempts() -> Patches:
    """Do not extend a journal's expiry when its attempt's first move is played."""
    append = AttemptDefinition.append

    def without(self: Any, *given: Any) -> Append:
        entry = append(self, *given)
        return entry if given[0] is None else msgspec.structs.replace(entry, expires=None)

    return patched(AttemptDefinition, "append", without)


def keeps_without_an_outbox() -> Patches:
    """Keep the effects of keeping an identity in the memory of the node that does it."""

    async def submit(self: Outbox, effect: Effect) -> None:
        await self.apply(effect)

    kept, once = patched(race, "KEPT", 1.0), patched(race, "ONCE", 1.0)
    return together(patched(Outbox, "submit", submit), kept, once, _often(faults.KILLED_AFTER))


def treats_a_conflict_as_success() -> Patches:
    """Do not read the entries that an append conflict shows to be missing."""
    append: Any = JournalStore.append

    def ignoring_conflicts(self: JournalStore, entry: Append, *given: Any) -> None:
        def done_anyway(reply: int | Exception) -> None:
            is_refused = isinstance(reply, ConflictError)
            given[-1](self.generation(entry.key) if is_refused else reply)

        append(self, entry, *given[:-1], done_anyway)

    return patched(JournalStore, "append", ignoring_conflicts)


def _script(script: Script, text: str) -> Patches:
    other = Script(text)
    Script.all.remove(other)
    return together(patched(script, "text", other.text), patched(script, "digest", other.digest))


def adds_up_repeated_results() -> Patches:
    """Add a result that is entered twice to the first."""
    text = """
    local before = redis.call('ZSCORE', KEYS[1], ARGV[1]) or 0
    redis.call('ZADD', KEYS[1], before + ARGV[2], ARGV[1])
    return {1, 0}
    """
    return _script(leaderboards_store._PLACE, text)


def replays_resent_moves() -> Patches:
    """Ignore the sequence number of a move."""
    decide = PendingMove.decide

    def broken(self: PendingMove, state: Attempt | None, now: int) -> Any:
        if state is not None:
            self.seq = state.seq + 1
        return decide(self, state, now)

    return patched(PendingMove, "decide", broken)


def appends_at_any_time() -> Patches:
    """Let a node with a wrong clock end attempts early."""
    return patched(journals_store, "CLOCK_TOLERANCE_MS", 10**15)


def never_samples_the_clock_again() -> Patches:
    """Let a node whose clock has jumped show cards early."""
    sample = RedisClock.sample

    async def once(self: RedisClock) -> None:
        if self._bounds is None:
            await sample(self)

    return patched(RedisClock, "sample", once)


def drops_a_deadline_seen_early() -> Patches:
    """Treat a deadline seen early by a wrong clock as passed, without ending anything."""
    pass_deadline = Rooms.pass_deadline

    async def broken(self: Rooms, code: RoomCode) -> bool:
        await pass_deadline(self, code)
        return True

    return together(patched(Rooms, "pass_deadline", broken), _only(faults.CLOCK_JUMP))


def appends_without_comparing_the_last_entry() -> Patches:
    """Check only the number of the last entry before an append, not its contents.

    This matters only after the store has lost something, so it does in every race here.
    """
    script = batch_store.APPEND
    compares = "previous ~= '' and last[2][2] ~= previous"
    assert compares in script.text
    append: Any = JournalStore.append

    def on_any(self: JournalStore, entry: Append, at: int, _: int, *given: Any) -> None:
        append(self, entry, at, 0, *given)

    return together(
        _script(script, script.text.replace(compares, "false")),
        _losses(),
        _taken_for_current(),
        patched(JournalStore, "append", on_any),
    )


def uses_replicas_of_older_connections() -> Patches:
    """Keep using a replica after a reconnect, although the store may have lost its last entries."""
    append: Any = JournalStore.append

    def on_this(self: JournalStore, entry: Append, at: int, _: int, *given: Any) -> None:
        append(self, entry, at, self.generation(entry.key), *given)

    return together(_losses(), _taken_for_current(), patched(JournalStore, "append", on_this))


def _taken_for_current() -> Patches:
    def is_current(self: Replica[Any, Any]) -> bool:
        key = self._definition.key()
        return self._machine.generation != 0 and self._journals.generation(key) != 0

    return patched(Replica, "_is_current", is_current)


def _losses() -> Patches:
    """Make the store lose something in each race, with few other faults.

    A stale replica matters only if it has not been refreshed since and the same player plays on
    another node, as every refresh finds the loss.
    """
    often = {**faults.OTHERS, faults.SECOND_DEVICE: 0.5, faults.BUS_MESSAGE_LOST: 0.5}
    return together(
        patched(race, "TAIL_LOST", 1.0),
        patched(race, "LOSS_INTERVAL", (0.2, 1.0)),
        patched(faults, "STORE", dict.fromkeys(faults.STORE, 0.0)),
        patched(faults, "NETWORK", dict.fromkeys(faults.NETWORK, 0.0)),
        patched(faults, "OTHERS", often),
    )


def counts_absences_from_before_a_round() -> Patches:
    observe: Any = absence.observe

    def unaware(before: Absence | None, *given: Any) -> Absence | None:
        found: Absence | None = observe(before, *given)
        if found is None or found.idle is None:
            return found
        return replace(found, idle=min(found.since.values()))

    def taken(room: Room, seat: Seat) -> int:
        del room
        return seat.since

    return together(
        patched(absences, "observe", unaware),
        patched(absence, "anchor", taken),
        patched(commands, "anchor", taken),
        patched(plans, "HOSTING", 0.5),
        patched(plans, "VANISHED", (5.0, 15.0)),
    )


def frees_seats_in_a_round() -> Patches:
    observe: Any = absence.observe

    def always_idle(before: Absence | None, *given: Any) -> Absence | None:
        found: Absence | None = observe(before, *given)
        if found is None or found.idle is not None:
            return found
        return replace(found, idle=min(found.since.values()))

    return together(
        patched(absences, "observe", always_idle),
        patched(commands, "free_seat", lambda room, player, *rest: leave(room, player, rest[-1])),
        patched(plans, "HOSTING", 0.5),
        patched(plans, "VANISHED", (5.0, 15.0)),
    )


def shows_racers_the_others_boards() -> Patches:
    """Let a round's players watch it before they have finished."""
    sight: Any = watching.sight

    def everything(room: Room, player: PlayerId, *, has_key: bool) -> Any:
        runs = room.round is not None and player in room.round.players
        return "live" if runs else sight(room, player, has_key=has_key)

    return patched(watching, "sight", everything)


def makes_absent_members_host() -> Patches:
    """Pass the host role to the longest-seated other member, present or not.

    Members vanish often and for long, and nodes soon notice if another one has died.
    """
    replace_host: Any = commands.replace_host

    def by_anybody(room: Room, host: PlayerId, taken: int, present: Any, now: int) -> Event | None:
        others = {seat.player for seat in room.seats} - {host}
        present = others - set(present) or present
        found: Event | None = replace_host(room, host, taken, present, now)
        return found

    return together(
        patched(commands, "replace_host", by_anybody),
        patched(keys, "NODE_LIFE_S", 2),
        patched(registration, "RENEW_EVERY", 0.5),
        patched(absence, "SEAT_ABSENCE_MS", 30_000),
        patched(plans, "HOSTING", 0.5),
        patched(plans, "VANISHED", (5.0, 15.0)),
    )


def shows_spectators_moves_without_delay() -> Patches:
    return patched(service_watching, "WATCH_DELAY_MS", 0)


def rates_races_from_current_ratings() -> Patches:
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
    return together(patched(RaceRecorder, "_decided", decided), written, kept, at_once)


def rates_overlapping_races_from_the_same_ratings() -> Patches:
    """Claim no player of a race, and decide so slowly that their next race ends meanwhile."""
    networks = RoomAddresses.networks

    async def claim(self: RaceRecorder, player: PlayerId, over: Race) -> None:
        """Claim nothing."""

    async def late(self: RoomAddresses, code: RoomCode) -> dict[PlayerId, str]:
        await asyncio.sleep(6.0)
        return await networks(self, code)

    return together(
        patched(RaceRecorder, "_claim", claim),
        patched(RoomAddresses, "networks", late),
        patched(race, "KEPT", 1.0),
        patched(race, "AT_ONCE", 1.0),
        patched(race, "HELP", ("none",)),
        patched(race, "ROUNDS", (2, 3, 3)),
    )


def writes_scores_without_rereading_the_history() -> Patches:
    """Write scores once, although the history may have changed since it was read."""

    async def write(
        self: Histories, player: PlayerId, found: Excerpt, boards: Any, curves: Any = None
    ) -> None:
        own = [board._replace(group=found.group_on(board)) for board in boards]
        await self._leaderboards.place(player, [Placement(each, found.score(each)) for each in own])

    return together(
        patched(Histories, "_write", write),
        patched(race, "DAILIES", 1.0),
        patched(race, "KEPT", 1.0),
    )


NOTHING_ELSE = {"GUESSING": 0.0, "FILLING": 0.0, "BURDENING": 0.0}
"""Rates of the activities other than playing."""


def _hostile(*kinds: str, **often: float) -> Patches:
    rates = [patched(hostile, *each) for each in (NOTHING_ELSE | often).items()]
    chosen = patched(hostile, "KINDS", kinds or hostile.KINDS)
    return together(patched(race, "HOSTILE", 1.0), chosen, *rates)


def lets_hosts_remove_runners() -> Patches:
    def remove(room: Room, host: PlayerId, player: PlayerId, now: int) -> Event | None:
        commands.check_host(room, host)
        seated = player != host and room.seat_of(player)
        return SeatLeft(player, now, host) if seated else None

    return together(patched(commands, "remove", remove), _hostile("public"))


def starts_rematches_for_all() -> Patches:
    """Start a round for all members who do not sit out, whether they have agreed or not."""
    start: Any = commands.start

    def for_all(room: Room, *given: Any, **named: Any) -> Event:
        seats = tuple(replace(seat, ready=not seat.out) for seat in room.seats)
        begun: Event = start(replace(room, seats=seats), *given, **named)
        return begun

    return together(patched(commands, "start", for_all), _hostile("friends"))


def lets_any_member_run_a_quick_match() -> Patches:
    """Give every member of a quick match the host's rights."""

    def check_host(room: Room, player: PlayerId) -> None:
        commands.check_member(room, player)
        if room.host not in {None, player}:
            raise Refusal(RoomRefusals.not_host)

    return together(patched(commands, "check_host", check_host), _hostile("quick"))


def rates_wins_against_idle_opponents() -> Patches:
    """Count every run as played, whatever its player did."""

    def has_played(_: object) -> bool:
        return True

    return together(patched(contests, "has_played", has_played), _rated("quick"))


def ranks_races_without_a_contest() -> Patches:
    """Rank every race of a player with an identity, wherever and however the opponents played."""

    def counts(self: RoundResult) -> bool:
        return self.ranked and not self.void

    return together(patched(RoundResult, "counts", property(counts)), _rated("quick"))


def rates_races_at_one_address() -> Patches:
    async def nowhere(_: RoomAddresses, __: RoomCode) -> dict[PlayerId, str]:
        return {}

    home = patched(hostile, "HONEST", hostile.HONEST.format(1))
    return together(patched(RoomAddresses, "networks", nowhere), home, _rated("friends"))


def _rated(*kinds: str) -> Patches:
    kept, at_once = patched(race, "KEPT", 1.0), patched(race, "AT_ONCE", 1.0)
    return together(kept, at_once, _hostile(*kinds))


def reveals_rooms_to_players_without_a_seat() -> Patches:
    """Tell players without a seat so, instead of that there is no such room."""

    def check_member(room: Room, player: PlayerId) -> Seat:
        seat = room.seat_of(player)
        if seat is None:
            raise Refusal(RoomRefusals.not_seated)
        return seat

    return together(patched(commands, "check_member", check_member), _hostile(GUESSING=1.0))


def charges_for_rounds_before_checking() -> Patches:
    """Charge an address for a round before checking whether the caller may start it."""

    async def check_member(self: Rooms, code: RoomCode, player: PlayerId) -> None:
        """Check nothing."""

    only = patched(hostile, "FILLED", hostile.ELSEWHERE[1])
    # Commands are free. Otherwise a player who fills an address must be fast enough to reach the
    # quota before the rate limit.
    free = patched(Payer, "pay", lambda *_: True)
    return together(
        patched(Rooms, "check_member", check_member),
        free,
        only,
        _hostile(GUESSING=1.0, FILLING=1.0),
    )


def does_not_charge_for_guesses() -> Patches:
    """Do not charge a room's commands as guesses, except those that need no seat."""
    return together(
        patched(RoomCommand, "misses", frozenset()),
        patched(handlers, "MISSES", frozenset()),
        _hostile(GUESSING=1.0),
    )


def keeps_watch_keys_valid() -> Patches:
    """Keep a watch key valid as long as its room, whatever the host does."""
    return together(patched(core_race, "_ends_watch_keys", lambda *_: False), _hostile("public"))


def shows_boards_after_a_room_turns_private() -> Patches:
    """Show boards by whether the room is public at the start, not by how players joined."""
    folded: Any = core_race._folded

    def by_room(room: Room, event: Event) -> Room:
        after: Room = folded(room, event)
        if isinstance(event, RoundStarted) and after.round is not None:
            return replace(after, round=replace(after.round, public=room.public))
        return after

    return together(patched(core_race, "_folded", by_room), _hostile("public"))


def shows_circles_to_anyone_with_the_id() -> Patches:
    """Carry out commands on a circle for non-members."""

    def first(circle: Circle, _: PlayerId) -> Member:
        return circle.members[0]

    return patched(circle_commands, "check_member", first)


def charges_neighbours_for_guesses() -> Patches:
    """Charge everyone at an address for guesses, right or wrong."""

    def guess(self: Payer) -> Guess:
        now, buckets = self._budgets.clock(), [each.misses for each in self._scopes]
        wait = max(each.wait(now) for each in buckets)
        if wait:
            raise Refusal(BaseRefusals.too_fast, wait=math.ceil(wait * 1000))
        for each in buckets:
            each.take(now)
        return Guess(*buckets)

    return together(patched(Payer, "guess", guess), _guessed_nearby())


def charges_for_guesses_later() -> Patches:
    """Charge a refused guess later, to everyone at its address."""

    def guess(self: Payer) -> Guess:
        now, buckets = self._budgets.clock(), [each.misses for each in self._scopes]
        wait = max(each.wait(now) for each in buckets)
        for each in buckets:
            if not each.take(now):
                each.give_back(-1.0)
        if wait:
            raise Refusal(BaseRefusals.too_fast, wait=math.ceil(wait * 1000))
        return Guess(*buckets)

    return together(patched(Payer, "guess", guess), _guessed_nearby())


def _guessed_nearby() -> Patches:
    """Make all guesses from the address of an honest player who signs in."""
    first = hostile.HONEST.format(1)
    here, filled = patched(hostile, "ELSEWHERE", (first, first)), patched(hostile, "FILLED", first)
    return together(here, filled, _hostile("friends", GUESSING=1.0, SIGNING_IN=1.0))


def shares_one_quota_among_all_addresses() -> Patches:
    """Count stored bytes for all addresses together."""

    def everywhere(_: str) -> tuple[Scope, ...]:
        return (Scope("everywhere"),)

    return together(
        patched(request, "scopes_of", everywhere),
        patched(hub, "scopes_of", everywhere),
        _hostile(FILLING=1.0),
    )


def does_not_charge_for_rooms() -> Patches:
    return together(patched(charges, "ROOM", ()), _hostile("friends", FILLING=1.0))


def counts_stored_bytes_per_node() -> Patches:
    """Give an address a separate quota on each node, renewed when the node restarts."""
    charge: Any = QuotaStore.charge
    nodes: dict[QuotaStore, int] = {}

    async def own(self: QuotaStore, place: str, *given: Any) -> Charge:
        number = nodes.setdefault(self, len(nodes))
        charged: Charge = await charge(self, f"{place}{number}", *given)
        return charged

    return together(patched(QuotaStore, "charge", own), _hostile("friends", FILLING=1.0))


def does_not_charge_for_moves() -> Patches:
    """Do not charge the entries of an attempt, except those of the first one."""
    return together(patched(play_charges, "ENTRY_BYTES", 0), _charged("friends"))


def does_not_charge_for_credentials() -> Patches:
    """Charge neither offered nor kept recovery codes."""
    free = patched(accounts_charges, "OFFER", ()), patched(accounts_charges, "CODE", ())
    kept, at_once = patched(race, "KEPT", 1.0), patched(race, "AT_ONCE", 1.0)
    return together(free[0], free[1], kept, at_once, _charged("friends"))


def charges_attempts_for_an_hour() -> Patches:
    """Charge attempts until the deadline, although they are stored for much longer."""
    note = Quotas.note

    def briefly(self: Quotas, player: PlayerId, *items: Item) -> None:
        note(self, player, *(Item(item.size, min(item.life, HOUR)) for item in items))

    return together(patched(Quotas, "note", briefly), _charged("friends"))


def does_not_charge_for_judged_moves() -> Patches:
    """Charge the same for a hint, however many moves it judges."""
    return together(patched(costs, "JUDGED", 0.0), _burdened())


def does_not_charge_for_custom_rules() -> Patches:
    """Charge nothing for custom rules, whether the node has their tables or not."""

    def pay_for_rules(self: request.NodeRequest[Any, Any], game: str, variant: str) -> None:
        """Charge nothing."""

    return together(patched(request.NodeRequest, "pay_for_rules", pay_for_rules), _burdened())


def _burdened() -> Patches:
    """Meter all commands, and add a player who sends expensive ones."""
    return together(patched(work, "WEIGHED", 1.0), _hostile("friends", BURDENING=1.0))


def _charged(*kinds: str) -> Patches:
    """Inject no kills or clock jumps, which would make the charges unknown."""
    often = dict.fromkeys((faults.KILLED_BEFORE, faults.KILLED_AFTER, faults.CLOCK_JUMP), 0.0)
    return together(patched(faults, "STORE", {**faults.STORE, **often}), _hostile(*kinds))


BROKEN: dict[Callable[[], Any], int] = {
    acknowledges_before_it_appends: 4,
    ends_without_an_outbox: 34,
    does_not_extend_played_attempts: 2,
    keeps_without_an_outbox: 78,
    treats_a_conflict_as_success: 9,
    adds_up_repeated_results: 9,
    replays_resent_moves: 4,
    appends_at_any_time: 18,
    never_samples_the_clock_again: 11,
    drops_a_deadline_seen_early: 18,
    counts_absences_from_before_a_round: 42,
    frees_seats_in_a_round: 42,
    makes_absent_members_host: 21,
    shows_racers_the_others_boards: 21,
    shows_spectators_moves_without_delay: 79,
    rates_races_from_current_ratings: 20,
    rates_overlapping_races_from_the_same_ratings: 188,
    writes_scores_without_rereading_the_history: 2,
    shows_circles_to_anyone_with_the_id: 25,
}
"""Broken servers that a race detects, each with the first seed tried, whose race detects it."""

BROKEN_AFTER_LOSS = [appends_without_comparing_the_last_entry, uses_replicas_of_older_connections]
"""Broken servers that matter only after the store lost something that a node still holds."""

BROKEN_AMONG_STRANGERS: dict[Callable[[], Any], tuple[Kind, int]] = {
    lets_hosts_remove_runners: ("decided", 2),
    starts_rematches_for_all: ("decided", 3),
    lets_any_member_run_a_quick_match: ("decided", 2),
    rates_wins_against_idle_opponents: ("decided", 4),
    ranks_races_without_a_contest: ("decided", 4),
    rates_races_at_one_address: ("decided", 31),
    reveals_rooms_to_players_without_a_seat: ("told", 1),
    charges_for_rounds_before_checking: ("told", 78),
    does_not_charge_for_guesses: ("told", 2),
    keeps_watch_keys_valid: ("told", 18),
    shows_boards_after_a_room_turns_private: ("told", 39),
    charges_neighbours_for_guesses: ("kept out", 70),
    charges_for_guesses_later: ("kept out", 7),
    shares_one_quota_among_all_addresses: ("kept out", 15),
    does_not_charge_for_rooms: ("overfull", 15),
    counts_stored_bytes_per_node: ("overfull", 15),
    does_not_charge_for_moves: ("overfull", 14),
    does_not_charge_for_credentials: ("overfull", 2),
    charges_attempts_for_an_hour: ("overfull", 2),
    does_not_charge_for_judged_moves: ("unpaid", 1),
    does_not_charge_for_custom_rules: ("unpaid", 0),
}
"""Broken servers that allow forbidden conduct, with the kind of complaint and the first seed."""
