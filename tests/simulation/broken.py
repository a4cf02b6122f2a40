"""Servers that are broken in one way each, to test that the simulation detects it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import msgspec

from server.core import absence, race_commands, races, watching
from server.core.absence import Absence
from server.core.attempt import Attempt
from server.core.excerpt import Excerpt
from server.core.ids import DealId, PlayerId, RoomCode
from server.core.race import Room
from server.core.race_commands import leave
from server.core.race_events import Event
from server.core.races import Decision, Race
from server.service import absences, registration
from server.service import watching as service_watching
from server.service.attempt_journal import AttemptDefinition
from server.service.effects import Effects
from server.service.histories import Histories
from server.service.moves import PendingMove
from server.service.outbox_entries import Effect
from server.service.places import Places
from server.service.races import Races
from server.service.replica import Replica
from server.service.rooms import Rooms
from server.store import journal, keys, leaderboards
from server.store.clock import Clock
from server.store.journal import Append, ConflictError, Journals
from server.store.races import Record
from server.store.scripts import Script
from tests.simulation import faults, plans, race
from tests.simulation.memory import Memory, Reply
from tests.simulation.race import patched
from tests.simulation.scripts import SCRIPTS


@contextmanager
def acknowledges_before_it_appends() -> Iterator[None]:
    """An append is reported as done at once, and carried out afterwards."""
    append: Any = Journals.append
    append_soon: Any = Journals.append_soon
    tasks: set[asyncio.Task[None]] = set()

    async def ignoring_errors(self: Journals, entry: Append, *given: Any) -> None:
        with suppress(Exception):
            await append(self, entry, *given)

    async def at_once(self: Journals, entry: Append, *given: Any) -> int:
        task = asyncio.create_task(ignoring_errors(self, entry, *given))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        return self.generation(entry.key)

    def soon(self: Journals, *given: Any) -> bool:
        *entry, generation, done, previous = given
        if not append_soon(self, *entry, generation, lambda *_: None, previous):
            return False
        asyncio.get_running_loop().call_soon(done, None, generation)
        return True

    with patched(Journals, "append", at_once), patched(Journals, "append_soon", soon):
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
    """What follows from keeping an identity is known only to the node that does it."""

    async def submit(self: Effects, effect: Effect) -> None:
        await self.apply(effect)

    kept, once = patched(race, "KEPT", 1.0), patched(race, "ONCE", 1.0)
    with patched(Effects, "submit", submit), kept, once, _often(faults.KILLED_AFTER):
        yield


@contextmanager
def takes_a_conflict_for_success() -> Iterator[None]:
    """A node does not read the entries that a conflict shows it has missed."""
    append: Any = Journals.append
    append_soon: Any = Journals.append_soon

    async def ignoring_conflicts(self: Journals, entry: Append, *given: Any) -> int:
        with suppress(ConflictError):
            return await append(self, entry, *given)  # type: ignore[no-any-return]
        return self.generation(entry.key)

    def soon(self: Journals, *given: Any) -> bool:
        *entry, generation, done, previous = given

        def ignore_conflict(error: Exception | None, known: int) -> None:
            done(None if isinstance(error, ConflictError) else error, known)

        return append_soon(self, *entry, generation, ignore_conflict, previous)  # type: ignore[no-any-return]

    with patched(Journals, "append", ignoring_conflicts), patched(Journals, "append_soon", soon):
        yield


@contextmanager
def _script(
    script: Script, other: Callable[[Memory, list[str], list[str]], Reply]
) -> Iterator[None]:
    """Replace a script inside."""
    before, SCRIPTS[script] = SCRIPTS[script], other
    try:
        yield
    finally:
        SCRIPTS[script] = before


@contextmanager
def adds_results_that_are_entered_again() -> Iterator[None]:
    """A result that is entered twice is added to the first."""

    def add(memory: Memory, names: list[str], given: list[str]) -> Reply:
        score = memory.scores(names[0]).get(given[0], 0.0) + float(given[1])
        memory.zadd(names[0], score, given[0])
        return [1, 0]

    with _script(leaderboards._PLACE, add):
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
    with patched(journal, "CLOCK_TOLERANCE", 10**15):
        yield


@contextmanager
def never_samples_the_clock_again() -> Iterator[None]:
    """A node whose clock has jumped shows cards early."""
    sample = Clock.sample

    async def once(self: Clock) -> None:
        if self._bounds is None:
            await sample(self)

    with patched(Clock, "sample", once):
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
    append = SCRIPTS[journal._APPEND_WITH]

    def broken(memory: Memory, names: list[str], given: list[str]) -> Reply:
        return append(memory, names, given[:9])

    with _script(journal._APPEND_WITH, broken), _losses(), _ignored_generations():
        yield


@contextmanager
def uses_states_of_older_connections() -> Iterator[None]:
    """A state read on one connection is used on the next, though the store may have lost it."""
    with _losses(), _ignored_generations():
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
def _ignored_generations() -> Iterator[None]:
    append_soon: Any = Journals.append_soon

    def is_current(self: Replica[Any, Any]) -> bool:
        return self._generation != 0 and self._journals.generation(self._definition.key()) != 0

    def soon(self: Journals, entry: Append, at: int, _: int, *given: Any) -> bool:
        return append_soon(self, entry, at, self.generation(entry.key), *given)  # type: ignore[no-any-return]

    with patched(Replica, "_is_current", is_current), patched(Journals, "append_soon", soon):
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
        patched(race_commands, "free_seat", leave),
        patched(plans, "HOSTING", 0.5),
        patched(plans, "VANISHED", (5.0, 15.0)),
    ):
        yield


@contextmanager
def shows_racers_the_others_boards() -> Iterator[None]:
    """Whoever is in a round may watch it at once, done or not."""
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
    replace_host: Any = race_commands.replace_host

    def by_anybody(room: Room, host: PlayerId, present: Any, now: int) -> Event | None:
        others = {seat.player for seat in room.seats} - {host}
        found: Event | None = replace_host(room, host, others - set(present) or present, now)
        return found

    with (
        patched(race_commands, "replace_host", by_anybody),
        patched(keys, "NODE_LIFE", 2),
        patched(registration, "RENEW_EVERY", 0.5),
        patched(absence, "SEAT_ABSENCE", 30_000),
        patched(plans, "HOSTING", 0.5),
        patched(plans, "VANISHED", (5.0, 15.0)),
    ):
        yield


@contextmanager
def shows_watchers_moves_at_once() -> Iterator[None]:
    """Who does not play a round sees it without a delay."""
    with patched(service_watching, "WATCH_DELAY", 0):
        yield


@contextmanager
def rates_races_by_what_it_finds() -> Iterator[None]:
    """Whoever applies a race computes from the ratings as they are, and keeps no decision.

    Applying it takes so long that a sweeper does so, too.
    """

    async def decided(self: Races, over: Race) -> Record:
        players = list(over.results)
        of = [(over.game, over.deal)]
        found = await self._store.histories.excerpts(players, (), of)
        known = dict(zip(players, found, strict=True))
        decision = races.decide(
            over,
            {player: each.rating(over.game)[:2] for player, each in known.items()},
            {player: each.kept for player, each in known.items()},
            {player: each.met_before(over) for player, each in known.items()},
            {},
        )
        text = msgspec.json.encode(decision).decode()
        await self._store.races.decide(over.deal, text)
        return Record(text, frozenset())

    async def write(self: Races, deal: DealId, record: Record) -> None:
        decision = msgspec.json.decode(record.decided, type=Decision)
        met = races.meetings(decision)
        for player, result in races.results(decision, ()).items():
            await self._histories.add_round(
                player, decision.race.game, deal, result, met.get(player)
            )
            await asyncio.sleep(2.5)

    kept, at_once = patched(race, "KEPT", 1.0), patched(race, "AT_ONCE", 1.0)
    with patched(Races, "_decided", decided), patched(Races, "_write", write), kept, at_once:
        yield


@contextmanager
def rates_races_that_end_together_from_the_same() -> Iterator[None]:
    """A race claims nobody, and takes so long to be decided that the next one is over by then."""
    networks = Places.networks

    async def claim(self: Races, player: PlayerId, over: Race) -> None:
        """Claim nothing."""

    async def late(self: Places, code: RoomCode) -> dict[PlayerId, str]:
        await asyncio.sleep(6.0)
        return await networks(self, code)

    with (
        patched(Races, "_claim", claim),
        patched(Places, "networks", late),
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


BROKEN: dict[Callable[[], Any], int] = {
    acknowledges_before_it_appends: 0,
    ends_without_an_outbox: 1,
    keeps_what_is_played_no_longer_than_the_rest: 0,
    keeps_without_an_outbox: 3,
    takes_a_conflict_for_success: 1,
    adds_results_that_are_entered_again: 9,
    plays_a_resent_move_again: 3,
    appends_at_any_time: 2,
    never_samples_the_clock_again: 1,
    forgets_a_deadline_that_has_not_passed: 1,
    frees_seats_in_a_round: 35,
    follows_hosts_by_members_who_are_away: 1,
    shows_racers_the_others_boards: 13,
    shows_watchers_moves_at_once: 46,
    rates_races_by_what_it_finds: 13,
    rates_races_that_end_together_from_the_same: 120,
    writes_scores_without_looking_back: 2,
}
"""Those that a race detects, and the seed to begin with, where that is soon."""

BROKEN_AFTER_LOSS = [appends_after_any_entry, uses_states_of_older_connections]
"""Those that matter only after the store has lost something that a node still holds."""
