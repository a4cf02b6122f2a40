"""Watching: the boards of rounds watched by sessions of this node, read from their journals.

The runner's node does no work for watchers. Like every node that follows the room, the watchers'
node learns from the progress messages that a runner has advanced. Then it reads the new part of
that runner's journal: from memory if this node has appended it, otherwise by one range read of the
stream. A round is read once for any number of watchers, and not at all without any.

A round has two streams, one live and one delayed by `WATCH_DELAY_MS` from the times of the entries.
Both carry the same entries, so that each is encoded only once.
"""

from __future__ import annotations

import asyncio
import hmac
from base64 import urlsafe_b64encode
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

import structlog

from server.base.core.ids import AttemptId, DealId, PlayerId, RoomCode
from server.base.core.refusal import BaseRefusals, UnavailableError, UnreadableError
from server.base.journals.core.machine import PAUSE_EVERY
from server.base.journals.store import JournalStore
from server.base.seals.keyring import Keyring
from server.base.work.background import Background
from server.base.work.clock import Clock
from server.base.work.signal import Signal
from server.base.work.worker_pool import WorkerPool
from server.deals.store import DealStore
from server.play.attempts import Attempts
from server.play.core import keys
from server.play.core.attempt import Attempt
from server.play.journal import steps_of
from server.rooms.core import commands
from server.rooms.core.room import Room, Round
from server.rooms.live_rooms import LiveRooms
from server.rooms.rooms import Rooms
from server.watching.core.sight import WATCH_DELAY_MS, Sight

CONCURRENCY = 32
"""Journals read concurrently, with one read in flight per journal."""

LOAD_TIMEOUT = 1.0
"""Maximum seconds that a watcher waits for the first read of a round."""

MAX_WAITING = 512
"""Maximum delayed or unread entries of one runner; later ones are merged.

Moves are limited to a sustained rate of 20 per second, so only a client that constantly plays at
that rate reaches it.
"""

MAX_SHOWN = 10_000
"""Maximum deals per node whose `show` results are cached."""

_LABEL = b"samedeal watch 1\0"
_KEY_BYTES = 16

log = structlog.get_logger()


@dataclass(slots=True, eq=False)
class WatchedEntry:
    """The change of a runner's board by one or several consecutive journal entries.

    Attributes:
        round: the round's number.
        place: the runner's index among the players of the round.
        before: the attempt before it; `None` at the start.
        after: the attempt after it.
        frame: the encoded entry, cached for the other stream; empty until encoded.
    """

    round: int
    place: int
    before: Attempt | None
    after: Attempt
    frame: bytes = b""

    @property
    def at(self) -> int:
        """The time in Unix milliseconds. An attempt becomes visible when its clock starts."""
        return max(self.after.at, self.after.start.at)


@dataclass(slots=True, eq=False)
class _Runner:
    """The state of reading a runner's journal.

    Attributes:
        state: the attempt after the last entry read, `None` before the first.
        last: the text of that entry.
        appended: (before, after, text) of each entry appended by this node since, in order.
        problem: the code of the last read's error, or `None`.
        read: whether the journal has been read from its start, or that has been tried.
    """

    attempt: AttemptId
    state: Attempt | None = None
    last: str = ""
    appended: list[tuple[Attempt | None, Attempt, str]] = field(default_factory=list)
    problem: str | None = None
    read: bool = False


class _Stream:
    """The boards of a round as seen with one delay, and the entries that are not visible yet."""

    __slots__ = ("boards", "delay", "waiting")

    def __init__(self, runners: int, delay: int) -> None:
        self.delay = delay
        self.boards: list[Attempt | None] = [None] * runners
        self.waiting: list[deque[WatchedEntry]] = [deque() for _ in range(runners)]

    def begin(self, entries: Iterable[WatchedEntry], now: int) -> None:
        """Show a runner after a full read of the journal, applying past entries silently."""
        for entry in entries:
            if entry.at + self.delay <= now and not self.waiting[entry.place]:
                self.boards[entry.place] = entry.after
            else:
                self.add(entry)

    def add(self, entry: WatchedEntry) -> None:
        """Add the next entry of a runner; if too many wait, merge it with the last.

        Merged entries become visible at the time of the last of them, so nothing is visible early.
        """
        waiting = self.waiting[entry.place]
        if len(waiting) >= MAX_WAITING:
            first = waiting.pop()
            entry = WatchedEntry(entry.round, entry.place, first.before, entry.after)
        waiting.append(entry)

    def take_due(self, now: int) -> list[WatchedEntry]:
        """Remove and return the entries that are due, each runner's in order."""
        found: list[WatchedEntry] = []
        for waiting in self.waiting:
            while waiting and waiting[0].at + self.delay <= now:
                entry = waiting.popleft()
                self.boards[entry.place] = entry.after
                found.append(entry)
        return found

    def next_at(self) -> int | None:
        """Return when the next entry is due, in Unix milliseconds, or `None`."""
        return min((each[0].at + self.delay for each in self.waiting if each), default=None)

    def clear(self, place: int) -> None:
        """Reset a runner whose journal is read again from its start."""
        self.boards[place] = None
        self.waiting[place].clear()


class _WatchedRound:
    """A round that is watched on this node."""

    __slots__ = ("deal", "loaded", "number", "runners", "streams")

    def __init__(self, round_: Round | None) -> None:
        players = round_.players if round_ is not None else ()
        self.deal = round_.deal if round_ is not None else None
        self.number = round_.number if round_ is not None else 0
        self.runners = (
            [_Runner(round_.attempt(player)) for player in players] if round_ is not None else []
        )
        self.streams: dict[Sight, _Stream] = {
            "live": _Stream(len(players), 0),
            "delayed": _Stream(len(players), WATCH_DELAY_MS),
        }
        self.loaded = asyncio.Event()
        if not self.runners:
            self.loaded.set()

    def next_at(self) -> int | None:
        """Return when the next entry is due, in Unix milliseconds, or `None`."""
        times = [at for each in self.streams.values() if (at := each.next_at()) is not None]
        return min(times, default=None)


class Watching:
    """The rounds that are watched on this node.

    A watched round costs two copies of its runners' boards, the entries of the last 15 s, and one
    timer. An advancing runner costs at most one range read of a stream, at most five times a
    second.

    Attributes:
        moved: emitted when an entry becomes visible to a room's watchers with one sight.
        renewed: emitted when all boards of a room must be sent again, for example for a new round.
    """

    def __init__(
        self,
        attempts: Attempts,
        rooms: Rooms,
        live: LiveRooms,
        keyring: Keyring,
        *,
        journals: JournalStore,
        deals: DealStore,
        clock: Clock,
        background: Background,
    ) -> None:
        self.moved: Signal[RoomCode, Sight, WatchedEntry] = Signal()
        self.renewed: Signal[RoomCode] = Signal()
        self._journals = journals
        self._deals = deals
        self._clock = clock
        self._rooms = rooms
        self._live = live
        self._keyring = keyring
        self._rounds: dict[RoomCode, _WatchedRound] = {}
        self._shown: dict[DealId, bool] = {}
        self._runners: dict[AttemptId, _Runner] = {}
        self._background = background
        self._reads: WorkerPool[tuple[RoomCode, DealId, int]] = WorkerPool(
            background, "watched_attempts", lambda item: self._read(*item), size=CONCURRENCY
        )
        self._due: WorkerPool[RoomCode] = WorkerPool(
            background, "watched_rooms", self._release, size=CONCURRENCY
        )
        attempts.appended.subscribe(self._appended)
        live.progressed.subscribe(self._progressed)
        live.changed.subscribe(self._changed)

    # The key

    async def key(self, room: Room) -> str:
        """Return the key that lets anyone watch a room, until its `watch_epoch` changes.

        The key is derived, so nothing is stored.
        """
        return (await self._keys(room))[0]

    async def _keys(self, room: Room) -> list[str]:
        """Return the watch keys of a room for all valid signing keys, the current one first."""
        return await self._keys_of(f"{room.opened.code} {room.opened.at} {room.watch_epoch}")

    async def _keys_of(self, term: str) -> list[str]:
        macs = await self._keyring.macs(_LABEL + term.encode())
        return [urlsafe_b64encode(mac[:_KEY_BYTES]).rstrip(b"=").decode() for mac in macs]

    async def key_for(self, code: RoomCode, player: PlayerId) -> str:
        """Return a room's watch key for its host, who may share it.

        Raises:
            Refusal: there is no such room, or the player is not its host.
        """
        room = await self._rooms.load(code)
        commands.check_host(room, player)
        return await self.key(room)

    async def is_key(self, room: Room | None, key: str | None) -> bool:
        """Return whether `key` is a room's watch key, in constant time."""
        if key is None:
            return False
        # Compute keys without a room too, so that the time does not reveal whether there is one.
        own = await self._keys(room) if room is not None else await self._keys_of("none")
        equal = [hmac.compare_digest(each.encode(), key.encode()) for each in own]
        return any(equal) and room is not None

    # The rounds

    @property
    def size(self) -> int:
        """The number of rooms watched on this node."""
        return len(self._rounds)

    def follow(self, code: RoomCode) -> None:
        """Track the boards of a room's rounds until `unfollow`; the room must be followed."""
        if code not in self._rounds:
            room = self._live.state(code)
            self._begin(code, room.round if room is not None else None)

    def unfollow(self, code: RoomCode) -> None:
        """Forget the boards of a room that has no watchers on this node any more."""
        watched = self._rounds.pop(code, None)
        if watched is not None:
            self._end(code, watched)

    def _begin(self, code: RoomCode, round_: Round | None) -> None:
        watched = self._rounds[code] = _WatchedRound(round_)
        for place, runner in enumerate(watched.runners):
            self._runners[runner.attempt] = runner
            self._read_soon(code, watched, place)

    def _end(self, code: RoomCode, watched: _WatchedRound) -> None:
        """Stop releasing entries of a round."""
        self._due.schedule(code, None)
        watched.loaded.set()
        for runner in watched.runners:
            self._runners.pop(runner.attempt, None)

    async def wait_until_loaded(self, code: RoomCode) -> None:
        """Wait for the first read of a watched round, at most `LOAD_TIMEOUT` seconds."""
        watched = self._rounds.get(code)
        if watched is not None and not watched.loaded.is_set():
            try:
                await asyncio.wait_for(watched.loaded.wait(), LOAD_TIMEOUT)
            except TimeoutError:
                log.debug("watched_round_not_loaded", room=code)

    def boards(self, code: RoomCode, seen: Sight) -> list[tuple[Attempt | None, str | None]]:
        """Return the boards of a watched room's round, in the order of its players.

        Returns:
            For each runner the currently visible attempt, `None` if nothing is visible yet, and the
            code of the error that prevents reading its journal, or `None`.
        """
        watched = self._rounds.get(code)
        stream = watched.streams.get(seen) if watched is not None else None
        if watched is None or stream is None:
            return []
        return [
            (board, runner.problem)
            for board, runner in zip(stream.boards, watched.runners, strict=True)
        ]

    def is_recorded(self, deal: DealId) -> bool:
        """Return whether this node knows whether the boards of a round are shown to others."""
        return deal in self._shown

    def is_withheld(self, deal: DealId) -> bool:
        """Return whether a round's boards are withheld from others, who will play its deal."""
        return self._shown.get(deal) is False

    async def record_shown(self, deal: DealId) -> None:
        """Record that the boards of a round are shown to players who do not run in it.

        From then on, nobody can be challenged to play the deal. If a challenge on it exists
        already, the boards are withheld instead. This takes one round trip per round.
        """
        self._shown[deal] = await self._deals.show(deal) is None
        if len(self._shown) > MAX_SHOWN:
            # Drop the oldest; if needed, it is read again.
            del self._shown[next(iter(self._shown))]

    def deal(self, code: RoomCode) -> DealId | None:
        """Return the deal of the round tracked for a room, or `None`."""
        watched = self._rounds.get(code)
        return watched.deal if watched is not None else None

    # What happens

    def _changed(self, code: RoomCode) -> None:
        """Start tracking a watched room's new round, or read finished runners' last moves."""
        watched, room = self._rounds.get(code), self._live.state(code)
        if watched is None or room is None:
            return
        round_ = room.round
        if round_ is not None and round_.deal != watched.deal:
            self._end(code, watched)
            self._begin(code, round_)
            self.renewed.emit(code)
        elif round_ is not None:
            for place, (runner, player) in enumerate(
                zip(watched.runners, round_.players, strict=True)
            ):
                state = runner.state
                if player in round_.results and (state is None or state.end is None):
                    self._read_soon(code, watched, place)

    def _progressed(self, code: RoomCode, counters: list[int]) -> None:
        """Read the new journal entries of runners who have advanced."""
        watched = self._rounds.get(code)
        if watched is None:
            return
        for place, moves in zip(counters[::4], counters[2::4], strict=True):
            state = watched.runners[place].state if place < len(watched.runners) else None
            if state is None or state.board.moves < moves:
                self._read_soon(code, watched, place)

    def _appended(self, before: Attempt | None, after: Attempt, text: str) -> None:
        """Keep an entry of this node for watchers; an unwatched attempt costs one look-up."""
        runner = self._runners.get(after.id) if self._runners else None
        if runner is None:
            return
        if len(runner.appended) >= MAX_WAITING:
            # Too many to keep: the next read takes them from the journal.
            runner.appended.clear()
        runner.appended.append((before, after, text))

    def _read_soon(self, code: RoomCode, watched: _WatchedRound, place: int) -> None:
        if watched.deal is not None:
            self._reads.add((code, watched.deal, place))

    async def _read(self, code: RoomCode, deal: DealId, place: int) -> None:
        """Read the new part of a runner's journal, and schedule showing it to watchers."""
        watched = self._rounds.get(code)
        if watched is None or watched.deal != deal:
            return
        runner = watched.runners[place]
        known, problem = runner.read, runner.problem
        entries: list[WatchedEntry] = []
        unread: UnavailableError | None = None
        now = 0
        try:
            now = await self._read_new(watched, place, entries)
            runner.problem = None
        except UnavailableError as error:
            runner.problem, unread = BaseRefusals.unavailable.name, error
        except UnreadableError as error:
            runner.problem = error.code.name
            self._background.judge("watched_attempts", error, runner.attempt)
        if self._rounds.get(code) is not watched:
            return
        whole = not (known and runner.read)
        for stream in watched.streams.values():
            if whole:
                stream.clear(place)
                stream.begin(entries, now)
            else:
                for entry in entries:
                    stream.add(entry)
        runner.read = True
        if all(each.read for each in watched.runners):
            watched.loaded.set()
        if whole or runner.problem != problem:
            self.renewed.emit(code)
        self._due.add(code)
        if unread is not None:
            # The worker pool retries the read.
            raise unread

    async def _read_new(
        self, watched: _WatchedRound, place: int, entries: list[WatchedEntry]
    ) -> int:
        """Append a runner's new journal entries to `entries`.

        Returns:
            If the whole journal was read, which unsets `read`, the time before that in Unix
            milliseconds; entries up to then are shown immediately. Otherwise 0.

        Raises:
            UnreadableError: a newer release stored it.
        """
        runner, number = watched.runners[place], watched.number
        appended, runner.appended = runner.appended, []
        for before, after, text in appended:
            known = runner.state
            if known is not None and before is not None and before.seq == known.seq:
                entries.append(WatchedEntry(number, place, known, after))
                runner.state, runner.last = after, text
        state = runner.state
        if state is not None and appended and appended[-1][1].seq <= state.seq:
            return 0
        began = 0
        key, texts = keys.attempt(runner.attempt), None
        if state is not None:
            read = await self._journals.read_on(key, state.seq, runner.last)
            texts = read.texts if read is not None else None
        if texts is None:
            # This is the first read, or the store has lost entries that were seen here.
            runner.read, state = False, None
            entries.clear()
            # Confirm the clock: a node with a wrong one must not show cards early.
            began = await self._clock.confirm()
            texts = (await self._journals.read(key)).texts
        assert watched.deal is not None, "a round has a deal"
        deal = await self._deals.find(watched.deal) if texts else None
        if deal is None:
            return began
        found: list[WatchedEntry] = []
        for step in steps_of(deal, state, texts):
            found.append(WatchedEntry(number, place, state, step.after))
            state = step.after
            if not len(found) % PAUSE_EVERY:
                await asyncio.sleep(0)
        runner.state, runner.last = state, texts[-1]
        entries += found
        return began

    async def _release(self, code: RoomCode) -> None:
        """Show due entries to watchers, and schedule the next ones."""
        # Confirm the clock, by an occasional read: a node with a wrong one must not show cards
        # early.
        now = await self._clock.confirm()
        watched = self._rounds.get(code)
        if watched is None:
            return
        for seen, stream in watched.streams.items():
            for entry in stream.take_due(now):
                self.moved.emit(code, seen, entry)
        at = watched.next_at()
        self._due.schedule(code, None if at is None else (at - now) / 1000)
