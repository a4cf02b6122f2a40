"""Races that are over, entered in histories and ratings in their order, and who has met whom.

The players of a race are in different slots, so nothing is written to all of them at once. What
the changes of ratings are computed from is decided first, and stored where only the first decision
stands; so whoever applies the race, and however often, writes the same to every history. The
results that were taken back stand beside it. Whoever has written reads them again: if there are
more by then, the results of all players are written anew.

Ratings are what races that follow one another lead to, in the order of their decisions. Before a
race is decided, it claims each player's history, in the order of their ids, and its result takes
the place of the claim. Whoever meets another race's claim enters that race first: it says all that
takes, so nobody waits for a node, and one that was killed leaves nothing undone. A race that has
claimed some of its players waits for none before these, so such races never wait in a circle. From
claim to decision, a rating is not changed by any other race; so of two races of a player, the one
that is decided later has been computed from what the other one has led to.

For a race of n players it costs two reads of its record, the decision and a read of where they are,
and for each of them three reads of the history, two changes, the scores on 4 leaderboards and a
read of the version unless it is a guest, three reads of the account, and whom they have met. That
is 4 + 14n commands at most. The claims follow one another; other commands of different players are
concurrent.
"""

from __future__ import annotations

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
    """Applies races, and takes results of them back.

    Attributes:
        applied: emitted with what was decided of a race whose effects have been written.
    """

    def __init__(
        self,
        store: RaceRecordStore,
        histories: Histories,
        addresses: RoomAddresses,
        *,
        met: MetStore,
    ) -> None:
        self.applied: AsyncSignal[Decision] = AsyncSignal()
        self._store = store
        self._met = met
        self._histories = histories
        self._addresses = addresses

    async def apply(self, race: Race) -> None:
        """Enter a race in its players' histories, and note who has met whom. This is idempotent.

        One that does not count is in no history.

        Raises:
            UnavailableError: the store does not answer. It may have been done in part.
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
        """Return whether an attempt was part of a race whose record is kept."""
        return await self.is_void(attempt) is not None

    async def is_void(self, attempt: AttemptId) -> bool | None:
        """Return whether a result of a race was taken back; `None` if no record of it is kept."""
        deal, player = split_attempt_id(attempt) or (None, None)
        found = await self._store.find(deal) if deal is not None else None
        if found is None or player not in _DECODER.decode(found.decided).race.results:
            return None
        return player in found.void

    async def void(self, attempt: AttemptId, reason: str | None) -> bool:
        """Take back a player's result of a race, and rank and rate the others without it.

        This is idempotent. What was begun has to be completed: give it to `Outbox.submit`.

        Args:
            attempt: the player's attempt.
            reason: why; it is stored with the race. Without one, the result stands again.

        Returns:
            Whether there was such a race within the last `keys.RACE_LIFE_S` seconds, whose end has
            been applied.

        Raises:
            UnavailableError: the store does not answer. It may have been done in part.
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
        """Return with whom a player has raced, at most `keys.MAX_MET`, the last one first.

        It costs one read.
        """
        return await self._met.read(player)

    async def _decided(self, race: Race) -> RaceRecord:
        """Return the record of a race; decide it first if nobody has."""
        found = await self._store.find(race.deal)
        if found is not None:
            return found
        players = sorted(race.results)
        for player in players:
            await self._claim(player, race)
        excerpts = await self._histories.excerpts(players, (), [(race.game, race.deal)])
        known = dict(zip(players, excerpts, strict=True))
        decision = race_results.decide(
            race,
            # The race may have been lost after it was entered.
            {p: each.rating_without(race.game, race.deal)[:2] for p, each in known.items()},
            {p: each.kept for p, each in known.items()},
            {p: each.met_before(race) for p, each in known.items()},
            await self._addresses.networks(race.room),
        )
        return await self._store.decide(race.deal, _ENCODER.encode(decision).decode())

    async def _claim(self, player: PlayerId, race: Race) -> None:
        """Have a player's history changed by no other race until this one is decided."""
        while not await self._histories.is_deleted(player):
            other = await self._histories.claim(player, race)
            if other is None:
                return
            await self._enter(other)

    async def _write(self, deal: DealId, record: RaceRecord) -> None:
        """Write what a race is to each player, as its record has it in the end."""
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
                # The store has lost it, but not what this node knows.
                found = await self._store.decide(deal, record.decided)
            if found == record:
                return
            record = found
