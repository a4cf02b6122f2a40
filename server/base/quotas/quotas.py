"""Quotas: what each address has stored, in the store itself, so on all nodes together.

Whatever a client can have stored is charged to the address that it comes from, by its size and
life (`server/STORED.md` lists all of it). What is new is charged before it begins, in one round
trip, and refused if the address has too much already. Games that go on are noted in memory, and
written together a second later, so that a move costs 0.6 µs, and every 32nd 5 µs.
Only an address that has all of its quota is refused moves, since those fill the store as well.

Addresses are stored as keyed hashes, with nothing that names a player. When another key signs, all
begin anew.
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
from server.base.core.refusal import Refusal, UnavailableError
from server.base.nodes.store_memory import StoreMemory
from server.base.quotas.store import QuotaStore
from server.base.seals.keyring import Keyring
from server.base.work.background import Background
from server.base.work.clock import Clock
from server.base.work.metrics import Counts
from server.base.work.worker_pool import WorkerPool

_LABEL = b"samedeal quota\0"
_BYTES = 9

WRITE_AFTER: Final = 1.0
"""Seconds after which what was noted is written."""

READ_AGAIN: Final = 10.0
"""Seconds after which it is looked again whether an address still has all of its quota."""

CONCURRENCY: Final = 32
"""Addresses that are written at the same time."""

MAX_KNOWN: Final = 10_000
"""Addresses of which a node knows how much they had stored last, 0.2 kB each."""

SHORTEST_WAIT_MS, LONGEST_WAIT_MS = MINUTE, HOUR
"""The range of what a refusal says how long to wait, in milliseconds."""

MOVES: Final = 32
"""Entries of an attempt's journal that are charged together."""

ENTRY_BYTES: Final = 75
"""Bytes of an entry, in a stream of a hundred in each of its nodes."""

# What is stored, as measured with MEMORY USAGE and rounded up; see `server/STORED.md`.


PLAYED: Final = 2_600
"""Bytes of what lives longer from the first move on: an attempt, a round's deal, and results."""


class Scope(NamedTuple):
    """The scope of a quota: an address, or the /48 around it (`wide`), as it is counted by."""

    name: str
    wide: bool = False


class Stored(NamedTuple):
    """How many bytes an address has stored, and how many it may have."""

    used: int
    quota: int

    @property
    def share(self) -> float:
        """The share of its quota that is stored."""
        return self.used / self.quota if self.quota else 1.0


def full(wait: int = int(READ_AGAIN * 1000)) -> Refusal:
    """Return the refusal of what would store more at an address that has enough."""
    return Refusal("address_full", wait=wait)


class Quotas:
    """Charges addresses for what is stored.

    Args:
        store: the counts.
        keyring: has the key by which addresses are hashed.
        clock: the store's clock.
        memory: knows how much the store may take.
        background: the node's background work.
        players: how many players may share an address.
        keep_days: for how many days a game is kept that was played, at most.
        limited: counts what was refused, by whose it was and what for.

    Attributes:
        where: returns where a player is: the address, and the network around it. Who is nowhere is
            charged for nothing.
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

    # What begins

    async def take(self, scopes: Sequence[Scope], need: Need, items: Iterable[Item]) -> None:
        """Charge where a client is for something new, or refuse it.

        It takes a round trip.

        Args:
            scopes: where the client is.
            need: what it is.
            items: what it stores.

        Raises:
            Refusal: as `address_full`, if there is too much; nothing is charged.
            UnavailableError: the store does not answer; it may have been charged.
        """
        await self._take(scopes, need, self._sizes(self._clock.now(), items))

    @asynccontextmanager
    async def paying(
        self, scopes: Sequence[Scope], need: Need, items: Iterable[Item]
    ) -> AsyncIterator[None]:
        """Charge as `take` does for what begins in the block, unless that is refused or fails."""
        sizes = self._sizes(self._clock.now(), items)
        await self._take(scopes, need, sizes)
        try:
            yield
        except (Refusal, UnavailableError):
            self._give_back(scopes, sizes)
            raise

    async def _take(self, scopes: Sequence[Scope], need: Need, sizes: dict[int, int]) -> None:
        now = self._clock.now()
        found = await asyncio.gather(
            *(self._charge(each, now, sizes, PARTS[need]) for each in scopes),
            return_exceptions=True,
        )
        charges = {
            scope: each
            for scope, each in zip(scopes, found, strict=True)
            if isinstance(each, Charge)
        }
        failed = [each for each in found if isinstance(each, BaseException)]
        refused = [each for each in charges.values() if not each.accepted]
        if not failed and not refused:
            return
        # What one scope has been charged for does not begin.
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
        """Return what is stored for an address, and for the network around it.

        What was noted in the last second on any node is not in it.
        """
        now = self._clock.now()
        found = await asyncio.gather(*(self._charge(each, now, {}, None) for each in scopes))
        return [
            Stored(charge.stored, self._quota(scope))
            for scope, charge in zip(scopes, found, strict=True)
        ]

    def days(self, players: Iterable[PlayerId]) -> int:
        """Return for how many days it is kept what these play, as far as is known here.

        It is as long as for whoever has stored the least where they are, and for all shorter while
        the store fills.
        """
        most = min(self._keep_days, self._memory.most_days or KEPT_DAYS)
        found = [
            days_kept(max((self._share(scope) for scope in scopes), default=0.0))
            for player in players
            if player != PACE_BOT and (scopes := self.where(player))
        ]
        return min(max(found, default=KEPT_DAYS), most)

    # What goes on

    def note(self, player: PlayerId, *items: Item) -> None:
        """Charge where a player is for something that is not refused, soon."""
        sizes = self._sizes(self._clock.now(), items)
        for scope in self.where(player):
            self._note(scope, sizes)

    def is_full(self, player: PlayerId) -> bool:
        """Return whether no move is taken any more where a player is."""
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
        """Write what was noted of a scope, and learn what it has stored.

        Raises:
            UnavailableError: the store does not answer. It is written again, so that it may count
                twice until it expires. What is given back is not: an address that is given back
                more than it was charged could store more than its quota.
        """
        sizes = self._noted.pop(scope, {})
        try:
            await self._charge(scope, self._clock.now(), sizes, None)
        except BaseException:
            charged = {until: size for until, size in sizes.items() if size > 0}
            if charged:
                self._note(scope, charged)
            raise

    def _quota(self, scope: Scope) -> int:
        return quota_of(self._players, self._memory.limit, wide=scope.wide)

    async def _charge(
        self, scope: Scope, now: int, sizes: dict[int, int], part: float | None
    ) -> Charge:
        """Charge a scope, unless it has more than a part of its quota then; learn what it has."""
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
        if not self._writes.is_scheduled(scope):
            self._writes.schedule(scope, READ_AGAIN)
