"""Recording of finished races in histories and ratings, and of meetings between their players.

The players of a race are in different slots, so no write covers all of them. The inputs of the
rating changes are decided first, and only the first stored decision stands. Any node can then apply
the race any number of times, and writes the same to every history. Voided results are stored with
the decision. A writer reads the record again at the end, and rewrites all players' results if more
were voided meanwhile.

Ratings follow the order of the decisions. Before a race is decided, it claims each player's
history, in the order of their ids, and its result later replaces the claim. A race that finds
another race's claim first records that race, which the claim describes completely. So no race waits
for a node, and a killed node leaves nothing undone. Since claims are made in the order of ids,
races never wait in a circle. From claim to decision, no other race changes the rating, so of two
races of a player, the one decided later includes the other's effect.

A race of n players costs two reads of its record, the decision and a read of addresses. Per player
it costs three reads of the history, two changes, the scores on 4 leaderboards and a read of the
version unless it is a guest, three reads of the account, and a write of the players met. That is at
most 4 + 14n commands. The claims are sequential; other commands for different players are
concurrent.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from server.base.core.ids import AttemptId, DealId, PlayerId, split_attempt_id
from server.base.work.signal import AsyncSignal
from server.base.work.tasks import finish_all
from server.results.core import race_results
from server.results.core.race_results import Decision, Race
from server.results.histories import Histories
from server.results.met_store import MetStore
from server.rooms.race_records_store import RaceRecord, RaceRecordStore
from server.rooms.room_addresses import RoomAddresses

_DECODER = msgspec.json.Decoder(Decision)
_ENCODER = msgspec.json.Encoder()


class RaceRecorder:
    """Applies races, and voids results of races.

    Attributes:
        applied: emitted with the decision on a race after its effects have been written.
    """

    def __init__(
        self,
        store: RaceRecordStore,
        histories: Histories,
        addresses: RoomAddresses,
        *,
        met: MetStore,
        complete: Callable[[PlayerId], Awaitable[None]],
    ) -> None:
        """`complete` applies the pending effects of a player."""
        self.applied: AsyncSignal[Decision] = AsyncSignal()
        self._store = store
        self._met = met
        self._histories = histories
        self._addresses = addresses
        self._complete = complete

    async def apply(self, race: Race) -> None:
        """Record a race in its players' histories, and its players' meetings. This is idempotent.

        A race that does not count is recorded in no history.

        Raises:
            UnavailableError: the store does not answer. Part of it may have been written.
        """
        decision = await self._enter(race) if race.counts else None
        await finish_all(self._meet(player, race) for player in race.results)
        if decision is not None:
            await self.applied.emit(decision)

    async def _enter(self, race: Race) -> Decision:
        record = await self._decided(race)
        await self._write(race.deal, record)
        return _DECODER.decode(record.decided)

    async def _meet(self, player: PlayerId, race: Race) -> None:
        if not await self._histories.is_deleted(player):
            others = [other for other in race.results if other != player]
            await self._met.add(player, others, race.at)

    async def has(self, attempt: AttemptId) -> bool:
        """Return whether an attempt was part of a race with a stored record."""
        return await self.is_void(attempt) is not None

    async def is_void(self, attempt: AttemptId) -> bool | None:
        """Return whether a race result was voided; `None` if its record is not stored."""
        deal, player = split_attempt_id(attempt) or (None, None)
        found = await self._store.find(deal) if deal is not None else None
        if found is None or player not in _DECODER.decode(found.decided).race.results:
            return None
        return player in found.void

    async def void(self, attempt: AttemptId, reason: str | None) -> bool:
        """Void a player's result of a race, and rank and rate the others without it.

        This is idempotent. It must run to completion once started, so pass it to `Outbox.submit`.

        `reason` is stored with the race; `None` restores the result.

        Returns:
            Whether there was such a race in the last `keys.RACE_LIFE_S` seconds, and its end has
            been applied.

        Raises:
            UnavailableError: the store does not answer. Part of it may have been written.
        """
        parts = split_attempt_id(attempt)
        if parts is None or not await self.has(attempt):
            return False
        deal, player = parts
        noted = await self._store.void(deal, player, reason)
        if noted is None:
            return False
        await self._write(deal, noted)
        return True

    async def met(self, player: PlayerId) -> list[PlayerId]:
        """Return a player's opponents in races, at most `keys.MAX_MET`, the latest first.

        This costs one read.
        """
        return await self._met.read(player)

    async def _decided(self, race: Race) -> RaceRecord:
        """Return the record of a race, deciding it first if necessary."""
        found = await self._store.find(race.deal)
        if found is not None:
            return found
        players = sorted(race.results)
        # After an outage, the effect that keeps a player's identity may be pending. Without it, a
        # player who kept the identity before the race would be decided as a guest.
        await finish_all(map(self._complete, players))
        # In the order of ids, so that races never wait for each other in a circle.
        for player in players:
            await self._claim(player, race)
        excerpts = await self._histories.excerpts(players, (), [(race.game, race.deal)])
        known = dict(zip(players, excerpts, strict=True))
        decision = race_results.decide(
            race,
            # The record may have been lost after the histories were written.
            {p: each.rating_without(race.game, race.deal)[:2] for p, each in known.items()},
            {p: each.kept for p, each in known.items()},
            {p: each.met_before(race) for p, each in known.items()},
            await self._addresses.networks(race.room),
        )
        return await self._store.decide(race.deal, _ENCODER.encode(decision).decode())

    async def _claim(self, player: PlayerId, race: Race) -> None:
        """Reserve a player's history against changes by other races until this one is decided."""
        while not await self._histories.is_deleted(player):
            other = await self._histories.claim(player, race)
            if other is None:
                return
            # Complete the other race instead of waiting for its node, which may be dead.
            await self._enter(other)

    async def _write(self, deal: DealId, record: RaceRecord) -> None:
        """Write each player's result; start over if the record has changed meanwhile."""
        while True:
            decision = _DECODER.decode(record.decided)
            results = race_results.results(decision, record.void)
            meetings = race_results.meetings(decision)
            await finish_all(
                self._histories.add_round(
                    player, decision.race.game, deal, result, meetings.get(player)
                )
                for player, result in results.items()
            )
            found = await self._store.find(deal)
            if found is None:
                # The store has lost the record: restore it from this node's copy.
                found = await self._store.decide(deal, record.decided)
            if found == record:
                return
            record = found
