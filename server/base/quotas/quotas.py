"""Storage quotas of addresses, counted in the store and so across all nodes.

All data that a client can store is charged to its address, by size and lifetime (`server/STORED.md`
lists it). New items are charged in advance, in one round trip, and refused if the address is over
its limit. Running games are counted in memory, and written together a second later, so that a move
costs 0.6 µs, and every 32nd 5 µs. Moves are refused only at an address that has used its whole
quota, since they fill the store as well.

Addresses are stored as keyed hashes, without anything that identifies a player. When the signing
key changes, all counts start again at zero.
"""

from __future__ import annotations

import asyncio
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

from server.base.core.ids import PACE_BOT, PlayerId
from server.base.core.quota import (
    HOUR,
    KEPT_DAYS,
    MINUTE,
    PARTS,
    Charge,
    Item,
    Need,
    counted_until,
    days_kept,
    quota_of,
)
from server.base.core.refusal import BaseRefusals, Refusal, UnavailableError
from server.base.nodes.store_memory import StoreMemory
from server.base.quotas.store import QuotaStore
from server.base.seals.keyring import Keyring
from server.base.work.background import Background
from server.base.work.clock import Clock
from server.base.work.metrics import Counts
from server.base.work.tasks import all_outcomes
from server.base.work.worker_pool import WorkerPool

_LABEL = b"samedeal quota\0"
_BYTES = 9
WRITE_AFTER: Final = 1.0  # seconds until counted bytes are written
READ_AGAIN: Final = 10.0  # seconds between checks of an address that has used its whole quota
CONCURRENCY: Final = 32  # addresses written at the same time
MAX_KNOWN: Final = 10_000  # addresses whose last known usage a node remembers, 0.2 kB each

# The range of a refusal's waiting time, in milliseconds.
SHORTEST_WAIT_MS, LONGEST_WAIT_MS = MINUTE, HOUR

MOVES: Final = 32  # entries of an attempt's journal that are charged together

# Sizes of stored items in bytes, as measured with MEMORY USAGE and rounded up; see
# `server/STORED.md`. The ones of `PLAYED` live longer from the first move on: an attempt, a round's
# deal, and results.
ENTRY_BYTES: Final = 75  # in a stream with a hundred entries per node
PLAYED: Final = 2_600


class Scope(NamedTuple):
    """The scope of a quota: an address or the /48 around it (`wide`), by the key for counting."""

    name: str
    wide: bool = False


class Stored(NamedTuple):
    """An address's stored bytes, and its quota."""

    used: int
    quota: int

    @property
    def share(self) -> float:
        """The used share of the quota."""
        return self.used / self.quota if self.quota else 1.0


def full(wait: int = int(READ_AGAIN * 1000)) -> Refusal:
    """Return the refusal of a request at an address over its quota."""
    return Refusal(BaseRefusals.address_full, wait=wait)


class Quotas:
    """Charges addresses for stored data.

    Args:
        players: how many players may share an address.
        keep_days: the maximum days that a played game is kept.
        limited: counts refusals, by the kind of scope and the resource.
    """

    def __init__(
        self,
        store: QuotaStore,
        keyring: Keyring,
        clock: Clock,
        memory: StoreMemory,
        background: Background,
        *,
        players: int,
        keep_days: int = KEPT_DAYS,
        limited: Counts,
    ) -> None:
        # Returns a player's scopes: the address and the network around it. A player without scopes
        # is not charged.
        self.where: Callable[[PlayerId], Sequence[Scope]] = lambda _: ()
        self._store = store
        self._keyring = keyring
        self._clock = clock
        self._memory = memory
        self._players = players
        self._keep_days = keep_days
        self._limited = limited
        self._noted: dict[Scope, dict[int, int]] = {}
        self._known: dict[Scope, Stored] = {}
        self._full: set[Scope] = set()
        self._writes: WorkerPool[Scope] = WorkerPool(
            background, "quotas", self._write, size=CONCURRENCY, completes=True
        )

    # New items

    async def take(self, scopes: Sequence[Scope], need: Need, items: Iterable[Item]) -> None:
        """Charge a client's scopes for new items, or refuse them. It takes a round trip.

        Raises:
            Refusal: as `address_full`, if a scope is over its limit; nothing is charged.
            UnavailableError: the store does not answer; the items may have been charged.
        """
        await self._take(scopes, need, self._sizes(self._clock.now(), items))

    @asynccontextmanager
    async def paying(
        self, scopes: Sequence[Scope], need: Need, items: Iterable[Item]
    ) -> AsyncIterator[None]:
        """Charge like `take`, with a refund if the block is refused or the store fails."""
        sizes = self._sizes(self._clock.now(), items)
        await self._take(scopes, need, sizes)
        try:
            yield
        except (Refusal, UnavailableError):
            self._give_back(scopes, sizes)
            raise

    async def _take(self, scopes: Sequence[Scope], need: Need, sizes: dict[int, int]) -> None:
        now = self._clock.now()
        found = await all_outcomes([self._charge(each, now, sizes, PARTS[need]) for each in scopes])
        charges = {
            scope: each
            for scope, each in zip(scopes, found, strict=True)
            if isinstance(each, Charge)
        }
        failed = [each for each in found if isinstance(each, Exception)]
        refused = [each for each in charges.values() if not each.accepted]
        if not failed and not refused:
            return
        # Refund the other scopes, since the request is refused.
        self._give_back((scope for scope, each in charges.items() if each.accepted), sizes)
        if failed:
            raise failed[0]
        self._limited["address", "stored"] += 1
        wait = max(each.first for each in refused) - now
        raise full(min(max(wait, SHORTEST_WAIT_MS), LONGEST_WAIT_MS))

    def _give_back(self, scopes: Iterable[Scope], sizes: dict[int, int]) -> None:
        back = {until: -size for until, size in sizes.items()}
        for scope in scopes:
            self._note(scope, back)

    async def stored(self, scopes: Sequence[Scope]) -> list[Stored]:
        """Return the stored bytes of an address and of the network around it.

        Bytes counted in the last second on any node are not included.
        """
        now = self._clock.now()
        found = await asyncio.gather(*(self._charge(each, now, {}, None) for each in scopes))
        return [
            Stored(charge.stored, self._quota(scope))
            for scope, charge in zip(scopes, found, strict=True)
        ]

    def days(self, players: Iterable[PlayerId]) -> int:
        """Return how many days to keep a game of these players, as far as known here."""
        # While the store fills up, all games are kept for a shorter time.
        most = min(self._keep_days, self._memory.most_days or KEPT_DAYS)
        found = [
            days_kept(max((self._share(scope) for scope in scopes), default=0.0))
            for player in players
            if player != PACE_BOT and (scopes := self.where(player))
        ]
        # The player with the lowest usage decides.
        return min(max(found, default=KEPT_DAYS), most)

    # Running games

    def note(self, player: PlayerId, *items: Item) -> None:
        """Charge a player's scopes soon, without the possibility of a refusal."""
        sizes = self._sizes(self._clock.now(), items)
        for scope in self.where(player):
            self._note(scope, sizes)

    def is_full(self, player: PlayerId) -> bool:
        """Return whether moves are refused at a player's address."""
        return bool(self._full) and any(scope in self._full for scope in self.where(player))

    def _share(self, scope: Scope) -> float:
        found = self._known.get(scope)
        return found.share if found is not None else 0.0

    @staticmethod
    def _sizes(now: int, items: Iterable[Item]) -> dict[int, int]:
        sizes: dict[int, int] = {}
        for size, life in items:
            until = counted_until(now, life)
            sizes[until] = sizes.get(until, 0) + size
        return sizes

    def _note(self, scope: Scope, sizes: dict[int, int]) -> None:
        noted = self._noted.setdefault(scope, {})
        for until, size in sizes.items():
            noted[until] = noted.get(until, 0) + size
        if not self._writes.is_scheduled(scope):
            self._writes.schedule(scope, WRITE_AFTER)

    async def _write(self, scope: Scope) -> None:
        """Write the counted bytes of a scope, and update its known usage."""
        sizes = self._noted.pop(scope, {})
        try:
            await self._charge(scope, self._clock.now(), sizes, None)
        except BaseException:
            # Charges are written again, and may count twice until they expire. Refunds are not: an
            # address refunded twice could store more than its quota.
            charged = {until: size for until, size in sizes.items() if size > 0}
            if charged:
                self._note(scope, charged)
            raise

    def _quota(self, scope: Scope) -> int:
        return quota_of(self._players, self._memory.limit, wide=scope.wide)

    async def _charge(
        self, scope: Scope, now: int, sizes: dict[int, int], part: float | None
    ) -> Charge:
        """Charge a scope unless that exceeds a part of its quota, and update its known usage."""
        quota = self._quota(scope)
        most = None if part is None else int(part * quota)
        mac, *_ = await self._keyring.macs(_LABEL + scope.name.encode())
        place = urlsafe_b64encode(mac[:_BYTES]).decode()
        charge = await self._store.charge(place, now, sizes, most)
        self._learn(scope, Stored(charge.stored, quota))
        return charge

    def _learn(self, scope: Scope, stored: Stored) -> None:
        self._known.pop(scope, None)
        self._known[scope] = stored
        if len(self._known) > MAX_KNOWN:
            del self._known[next(iter(self._known))]
        if stored.share < 1:
            self._full.discard(scope)
            return
        self._full.add(scope)
        # Checked again even without new charges, since expired items make room.
        if not self._writes.is_scheduled(scope):
            self._writes.schedule(scope, READ_AGAIN)
