"""Challenges: making them, each player's one attempt at them, and how they end.

A challenge closes by its date, by whoever looks first or by a sweeper, or when all who are named
have played. Its results are final when every attempt is over; then they are entered in histories
(`server/challenges/recorder.py`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from engine.catalog import ruleset
from engine.errors import EngineError
from engine.schema import STANDARD, is_changes
from server.base.core.days import DRAWN_AHEAD, Level, day_at, level_of
from server.base.core.due import ChallengeDue
from server.base.core.ids import (
    AttemptId,
    ChallengeId,
    DealId,
    Occasion,
    PlayerId,
    has_owner,
    is_bot,
    is_id,
    split_attempt_id,
)
from server.base.core.refusal import Refusal, UnavailableError
from server.base.journals.cache import ReplicaCache
from server.base.journals.core.entry import Append
from server.base.journals.reader import rules_of
from server.base.journals.replica import Replica
from server.base.journals.store import JournalStore
from server.base.quotas.quotas import Quotas
from server.base.seals.keyring import Keyring
from server.base.work.clock import Clock
from server.base.work.random_text import id_of
from server.base.work.signal import AsyncSignal, Signal
from server.challenges.core import charges, commands, keys
from server.challenges.core.challenge import Challenge, Entrant, Entry
from server.challenges.core.creations import ByLeague, ByPlayer, Creation, RematchOf
from server.challenges.core.events import ChallengeMade, Event, Terms
from server.challenges.core.occasions import challenge_of, occasion_of
from server.challenges.core.table import PAGE, Table
from server.challenges.journal import ChallengeDefinition
from server.challenges.store import ChallengeStore
from server.challenges.tables import ChallengeTables
from server.deals.pool_store import PoolStore
from server.deals.store import Deal, DealStore
from server.play.answers import Snapshot
from server.play.attempts import Attempts
from server.play.core import keys as play_keys
from server.play.core.attempt import Attempt, Started
from server.play.core.finish import Finish
from server.play.core.result import Result
from server.players.store import PlayerStore
from server.rooms.core.room import Round
from server.rooms.rooms import Rooms

_LABEL = b"samedeal challenge\0"

MAX_TOLD = 50
"""Players of a challenge by link who are told of its rematch."""

RETRY_AFTER_MS = 10_000
"""Milliseconds after which a player may try again for whose attempt there was no room."""

MAX_BYTES = 64 << 20
"""About how many bytes the challenges in memory take that this node appends to or follows."""

MAX_READ_ONLY_BYTES = 16 << 20
"""About how many bytes those take that this node has only read."""

Members = Callable[[str], Awaitable[Collection[PlayerId | None]]]
"""Returns the members of the circle with an id; nobody, if there is none or it is unreadable."""


@dataclass(frozen=True, slots=True)
class Page:
    """A challenge as one player is shown it.

    Attributes:
        viewer: the player.
        certificate: of the deal; `None` if there is none.
        seed: the deal's in hexadecimal, once it has closed; empty if that is not kept any more.
        mine: the viewer's result so far; `None` before they begin.
        may_play: whether the viewer may begin an attempt now, or return to one.
        opened: how many have looked at it; 0 for all but its maker.
        table: the table as the viewer may see it.
    """

    challenge: Challenge
    viewer: PlayerId
    deal: Deal | None
    seed: str | None
    mine: Result | None
    may_play: bool
    opened: int
    table: Table


class Challenges:
    """Carries out commands on challenges, by replicas of their journals.

    Attributes:
        members: says who is in a circle, by the wing that has them; without it nobody is.
        tables: the tables of those that were looked at last.
        begun: emitted with a challenge and a player who has begun an attempt at it.
        appended: emitted after each entry that this node has appended, with the challenge after it.
    """

    def __init__(
        self,
        store: ChallengeStore,
        attempts: Attempts,
        rooms: Rooms,
        quotas: Quotas,
        keyring: Keyring,
        *,
        journals: JournalStore,
        deals: DealStore,
        pools: PoolStore,
        players: PlayerStore,
        clock: Clock,
    ) -> None:
        self.members: Members = _nobody
        self.tables = ChallengeTables()
        self.begun: AsyncSignal[Challenge, PlayerId] = AsyncSignal()
        self.appended: Signal[ChallengeId, Challenge, Append] = Signal()
        self._store = store
        self._attempts = attempts
        self._rooms = rooms
        self._quotas = quotas
        self._keyring = keyring
        self._journals = journals
        self._deals = deals
        self._pools = pools
        self._players = players
        self._clock = clock
        self._replicas: ReplicaCache[ChallengeId, Challenge, Entry] = ReplicaCache(
            MAX_BYTES, MAX_READ_ONLY_BYTES
        )

    # Making

    async def create(
        self,
        maker: PlayerId,
        terms: Terms,
        creation: str,
        *,
        named: Sequence[PlayerId] = (),
        attempt: AttemptId | None = None,
    ) -> Challenge:
        """Make a challenge. A retry returns the same one.

        Args:
            maker: who makes it.
            terms: what it is played by. Of a race's deal, game, limit and help are the race's.
            creation: idempotency key: a random string that the client repeats in a retry.
            named: who else may play, if only they may.
            attempt: the maker's attempt at a race that is over, on whose deal it is to be played;
                `None` for a new deal.

        Raises:
            Refusal: there is no such game, variant, player or race; the maker is not in the circle;
                others than its players have seen the race's deal, or all who are named have raced
                on it; the maker has as many open challenges as one may have; or as `key_used`, if
                the key has made another one.
        """
        challenge = await self._id_of(ByPlayer(maker, creation))
        known = await self._replica(challenge).refresh()
        if known is not None:
            if not _is_retry(known.made, terms, named, attempt):
                raise Refusal("key_used")
            return known
        named = [each for each in dict.fromkeys(named) if each != maker]
        if any(not is_id(each) or is_bot(each) for each in named):
            raise Refusal("unknown_player")
        if named and await self._players.unknown(named):
            raise Refusal("unknown_player")
        if terms.circle is not None and maker not in await self.members(terms.circle):
            raise Refusal("not_in_circle")
        if attempt is None:
            made = await self._make(challenge, maker, terms, named=named)
            if not _is_retry(made.made, terms, named, attempt):
                # By another command with the key, at the same time.
                raise Refusal("key_used")
            return made
        round_ = await self._round_of(attempt, maker)
        raced = {player: round_.results[player] for player in round_.players}
        left = [each for each in named if each not in raced]
        if named and not left:
            raise Refusal("already_played")
        terms = Terms(
            round_.terms.game,
            round_.terms.variant,
            round_.terms.limit,
            terms.open_for,
            round_.terms.help,
            terms.target,
            terms.circle,
        )
        return await self._make(challenge, maker, terms, named=left, deal=round_.deal, raced=raced)

    async def create_for_league(self, owner: PlayerId, terms: Terms, turn: int) -> Challenge:
        """Make the challenge of a circle's league in a turn, or return it, however often asked.

        Args:
            owner: the circle's, in whose name it is made.
            terms: what it is played by; with the circle.
            turn: as many has the league made before.

        Raises:
            Refusal: there is no such game, or the owner has as many open challenges as one may.
        """
        assert terms.circle is not None, "leagues are those of circles"
        challenge = await self._id_of(ByLeague(terms.circle, turn))
        known = await self._replica(challenge).refresh()
        return known or await self._make(challenge, owner, terms, league=turn)

    async def _id_of(self, creation: Creation) -> ChallengeId:
        # It follows from the creation, so that a retry finds it, and nobody can guess it.
        kind = type(creation).__name__
        return ChallengeId(id_of(await self._keyring.mac_of(_LABEL, kind, *creation)))

    async def _round_of(self, attempt: AttemptId, maker: PlayerId) -> Round:
        """Return the round that an attempt of the maker was part of, which is over.

        Raises:
            Refusal: as `unknown_run` if there is none that is kept; as `deal_open`; as `deal_shown`
                if a player's bot was in it, whose owner has seen the deal.
        """
        deal_id, player = split_attempt_id(attempt) or (None, None)
        deal = await self._deals.find(deal_id) if deal_id is not None else None
        if deal is None or deal.room is None or player != maker:
            raise Refusal("unknown_run")
        round_ = await self._rooms.round_on(deal.room, deal.id)
        if round_ is None or maker not in round_.players:
            raise Refusal("unknown_run")
        if not round_.over:
            raise Refusal("deal_open")
        if any(map(has_owner, round_.players)):
            raise Refusal("deal_shown")
        return round_

    async def _make(
        self,
        challenge: ChallengeId,
        maker: PlayerId,
        terms: Terms,
        *,
        named: Sequence[PlayerId] = (),
        told: Sequence[PlayerId] = (),
        deal: DealId | None = None,
        raced: Mapping[PlayerId, Result] | None = None,
        follows: ChallengeId | None = None,
        league: int | None = None,
    ) -> Challenge:
        """Make a challenge that there is not, on a new deal, or on that of a race."""
        occasion, now = occasion_of(challenge), self._clock.now()
        try:
            ruleset(terms.game, terms.variant)
        except EngineError as error:
            raise Refusal.of(error) from error
        if terms.circle is not None and is_changes(terms.variant):
            raise Refusal("listed_only")
        if not await self._store.make(maker, challenge, now + terms.open_for, now):
            raise Refusal("too_many_challenges")
        try:
            found = await self._reserved(deal, occasion, terms)
        except (Refusal, UnavailableError):
            # Nobody has made it, as far as is known here: whoever has, keeps a place for it.
            await self._store.end(maker, challenge)
            raise
        home = rules_of(found.game, found.variant, found.rules).home_at_start

        def decide(state: Challenge | None, now: int) -> Event | None:
            if state is not None:
                return None
            return ChallengeMade(
                challenge,
                maker,
                terms,
                found.id,
                found.commitment,
                found.rules,
                home,
                now,
                tuple(named),
                tuple(told),
                dict(raced or {}),
                follows,
                league,
            )

        after = await self._append(challenge, decide)
        if after.made.maker != maker:
            # Somebody else has made it meanwhile, as a rematch, and it takes a place of theirs.
            await self._store.end(maker, challenge)
        return after

    async def _reserved(self, deal: DealId | None, occasion: Occasion, terms: Terms) -> Deal:
        """Return the deal of a challenge: a new one, or that of a race, which is reserved for it.

        Raises:
            Refusal: as `deal_shown`; or as `key_used`, if the deal that was drawn is for another
                game, by another command with the same key.
        """
        life = terms.open_for // 1000 + keys.DEAL_LIFE_S
        until = self._clock.now() + terms.open_for + keys.MAKING_MS
        if deal is None:
            level = await self._level(terms)
            drawn = await self._deals.draw_for(occasion, terms.game, terms.variant, life, level)
            if (drawn.game, drawn.variant) != (terms.game, terms.variant):
                raise Refusal("key_used")
            return drawn
        if not await self._deals.reserve(deal, occasion, life, until):
            raise Refusal("deal_shown")
        found = await self._deals.find(deal)
        if found is None:
            raise Refusal("unknown_run")
        return found

    async def _level(self, terms: Terms) -> Level | None:
        """Return of which level a deal is taken from the pool: today's, like the daily's.

        `None` if the pool has none to spare for others than the dailies of the next days.
        """
        if terms.variant != STANDARD:
            return None
        pooled = await self._pools.sizes([terms.game])
        return level_of(day_at(self._clock.now())) if pooled[terms.game] > DRAWN_AHEAD else None

    async def rematch(self, challenge: ChallengeId, player: PlayerId) -> Challenge:
        """Make the challenge that follows one, by the same terms for the same people.

        If somebody has made it, it is returned: there is one for all.

        Raises:
            Refusal: there is no such challenge, the player has not played it, or is not in the
                circle that it is for any more; or as for `create`.
        """
        before = await self.load(challenge, player)
        commands.check_played(before, player)
        if not await self._is_for(before, player):
            raise Refusal("not_in_circle")
        following = before.rematch or await self._id_of(RematchOf(challenge))
        made = await self._replica(following).refresh()
        if made is None:
            people = [each for each in before.players if each != player and not is_bot(each)]
            others = [] if before.made.named else people[:MAX_TOLD]
            made = await self._make(
                following,
                player,
                before.made.terms,
                named=people if before.made.named else (),
                told=others,
                follows=challenge,
            )
        await self._submit(challenge, lambda state, now: commands.follow(state, following, now))
        return made

    # Looking

    async def load(self, challenge: ChallengeId, viewer: PlayerId | None) -> Challenge:
        """Return a challenge as it is now, to a player who may see it, or to anybody: `None`.

        Raises:
            Refusal: there is none with this id, or it is for a circle that the viewer is not in,
                who is not told that there is one.
        """
        found = await self.find(challenge)
        if found is None:
            raise Refusal("unknown_challenge")
        if viewer not in await self.may_look(found, [viewer]):
            raise Refusal("unknown_challenge")
        return found

    async def may_look(
        self, challenge: Challenge, viewers: Collection[PlayerId | None]
    ) -> Collection[PlayerId | None]:
        """Return who of some may see a challenge: who plays it, and whom it is for.

        Who looks and who goes on looking are asked for by this alone.
        """
        circle = challenge.made.terms.circle
        if circle is None:
            return viewers
        members = await self.members(circle)
        return {each for each in viewers if each in challenge.players or each in members}

    async def cost(self, challenge: ChallengeId, viewer: PlayerId, *, shown: bool) -> float:
        """Return what a command on a challenge costs beside its usual price, by its size.

        It is the reading of its journal if that is not in memory. If a page of its table is shown,
        it is also that page, and the ordering of the table if it is to be ordered anew.
        """
        replica = self._replicas.known(challenge)
        known = replica.state if replica is not None else None
        if known is None:
            players = await self._store.size(challenge) if is_id(challenge) else 0
            cost, is_ordered = charges.READ_COST * players, False
        else:
            players, cost = len(known.players), 0.0
            is_ordered = self.tables.is_known(known, shows_results=known.shows_results(viewer))
        if shown:
            cost += charges.ROW_COST * min(players, PAGE)
            cost += 0.0 if is_ordered else charges.ORDER_COST * players
        return cost

    async def find(self, challenge: ChallengeId) -> Challenge | None:
        """Return a challenge as it is now, whoever may see it; `None` if there is none."""
        return await self._replica(challenge).refresh() if is_id(challenge) else None

    async def _is_for(self, challenge: Challenge, player: PlayerId | None) -> bool:
        """Return whether a player is in the circle that a challenge is for, if it is for one."""
        circle = challenge.made.terms.circle
        if circle is None:
            return True
        return player in await self.members(circle)

    async def deal_of(self, challenge: Challenge) -> tuple[Deal | None, str | None]:
        """Return the deal of a challenge, and its seed in hexadecimal once that has closed.

        The deal is `None` and the seed empty if they are not kept any more.
        """
        deal = await self._deals.find(challenge.made.deal)
        if challenge.over is None:
            return deal, None
        return deal, deal.seed.hex() if deal is not None else ""

    async def page(self, challenge: Challenge, viewer: PlayerId) -> Page:
        """Return a challenge as a player is shown it; what is not in memory is read."""
        made, own = challenge.made, challenge.players.get(viewer)
        deal, seed = await self.deal_of(challenge)
        mine = own.result if own is not None else None
        if own is not None and own.is_playing:
            attempt = await self._attempts.find(challenge.attempt(viewer))
            mine = attempt.result if attempt is not None else None
        is_member = await self._is_for(challenge, viewer)
        may_play = commands.may_begin(challenge, viewer, self._clock.now(), is_member=is_member)
        opened = await self._store.lookers(challenge.id) if viewer == made.maker else 0
        table = self.table(challenge, viewer)
        return Page(challenge, viewer, deal, seed, mine, may_play, opened, table)

    def table(self, challenge: Challenge, viewer: PlayerId | None) -> Table:
        """Return the table of a challenge as somebody may see it: `None` is anybody."""
        return self.tables.of(challenge, shows_results=challenge.shows_results(viewer))

    async def look(self, challenge: Challenge, player: PlayerId) -> None:
        """Note that a player has looked at a challenge, whose maker is told how many have."""
        if player == challenge.made.maker:
            return
        until = challenge.made.closes + keys.CHALLENGE_LIFE_MS
        if await self._store.look(challenge.id, player, until):
            self._quotas.note(player, charges.kept(charges.LOOKER_BYTES))

    # Playing

    async def play(
        self, challenge: ChallengeId, player: PlayerId, *, anew: bool = True
    ) -> Snapshot:
        """Start a player's one attempt, or return the one that goes on.

        Args:
            challenge: the challenge.
            player: the player.
            anew: whether there is room for an attempt that is yet to be started.

        Raises:
            Refusal: there is no such challenge, the player has played it or may not, it has closed
                or is full; as `overloaded` or `address_full`, if the attempt is yet to be started
                and there is no room for it, or too much is stored where the player is.
        """
        # A node whose clock is wrong must not end an attempt early.
        now = await self._clock.confirm()
        before = await self.load(challenge, player)
        is_member = await self._is_for(before, player)
        begins = commands.begin(before, player, now, is_member=is_member) is not None
        if begins:
            if not anew:
                raise Refusal("overloaded", wait=RETRY_AFTER_MS)
            items = charges.begun(before.made.terms.limit, before.made.closes - now)
            await self._quotas.take(self._quotas.where(player), "game", items)
        after = await self._submit(
            challenge,
            lambda state, now: commands.begin(state, player, now, is_member=is_member),
        )
        await self._start(after, player)
        attempt = await self._attempts.find(after.attempt(player))
        await self._store.add(player, challenge, after.at)
        if begins:
            await self.begun.emit(after, player)
        if attempt is None or attempt.end is not None:
            raise Refusal("already_played")
        return await self._attempts.snapshot(attempt)

    async def _start(self, challenge: Challenge, player: PlayerId) -> Attempt:
        """Start the attempt that a player has begun, unless it has been started.

        Raises:
            Refusal: the deal is not kept any more.
        """
        made, own = challenge.made, challenge.players[player]
        assert own.begun is not None, "the journal says so"
        started = Started(
            player,
            made.deal,
            made.terms.game,
            made.terms.variant,
            None,
            None,
            own.begun,
            own.deadline,
            made.rules,
            made.terms.help,
            self._quotas.days([player]),
            occasion=occasion_of(challenge.id),
        )
        return await self._attempts.start(started)

    async def apply_finish(self, finish: Finish) -> None:
        """Enter the result of an attempt that is over, if it is one at a challenge."""
        challenge = challenge_of(finish.occasion)
        if challenge is not None:
            await self._finish(challenge, finish.player, finish.result)

    async def _finish(
        self, challenge: ChallengeId, player: PlayerId, result: Result
    ) -> Challenge | None:
        """Enter a result. This is idempotent; it returns `None` if there is no such challenge."""
        try:
            return await self._submit(
                challenge, lambda state, now: commands.finish(state, player, result, now)
            )
        except Refusal:
            return None

    async def pass_deadline(self, due: ChallengeDue) -> bool:
        """Close a challenge whose date has come, and end the attempts at it that go on.

        Returns:
            Whether all of it is over, or it is not there. If not, the date is yet to come: the
            clock by which it had come was wrong, and has been corrected since.
        """
        found = await self.find(due.challenge)
        if found is None or found.over is None:
            return found is None
        for player, entrant in found.players.items():
            if entrant.is_playing:
                result = await self._result_of(found, player, entrant)
                if result is not None:
                    await self._finish(due.challenge, player, result)
        found = await self.find(due.challenge)
        return found is None or found.is_settled

    async def _result_of(
        self, challenge: Challenge, player: PlayerId, entrant: Entrant
    ) -> Result | None:
        """Return how an attempt has ended whose deadline has passed; `None` if it goes on."""
        try:
            await self._start(challenge, player)
        except Refusal:
            # The store has lost the deal, so that nobody can have played it.
            return _out_of_time(challenge)
        attempt = await self._attempts.find(challenge.attempt(player))
        if attempt is not None:
            return attempt.result if attempt.end is not None else None
        # Nothing was played at it, or it would be kept still.
        kept_until = entrant.deadline + play_keys.UNPLAYED_LIFE_MS
        return _out_of_time(challenge) if self._clock.now() >= kept_until else None

    # What else players do

    async def close(self, challenge: ChallengeId, player: PlayerId) -> Challenge:
        """Close a challenge before its date: nobody begins any more, and attempts go on.

        Raises:
            Refusal: there is no such challenge, it is not the player's, or it is for a circle.
        """
        await self.load(challenge, player)
        before = self._replica(challenge).number
        found = await self._submit(challenge, lambda state, now: commands.close(state, player, now))
        if found.version > before:
            self._quotas.note(player, charges.kept(charges.ENTRY_BYTES))
        return found

    async def emote(
        self, challenge: ChallengeId, by: PlayerId, player: PlayerId, emote: int | None
    ) -> Challenge:
        """Send an emote for a player's run, or take it back.

        Raises:
            Refusal: there is no such challenge or run, or the player who sends it has not played.
        """
        await self.load(challenge, by)
        before = self._replica(challenge).number
        found = await self._submit(
            challenge, lambda state, now: commands.emote(state, by, player, emote, now)
        )
        if found.version > before:
            self._quotas.note(by, charges.kept(charges.ENTRY_BYTES))
        return found

    # What other wings ask: see `server.runs.closed_deals.Occasions`

    async def may_see(self, occasion: Occasion, viewer: PlayerId | None) -> bool:
        """Return whether a player may see the deal of a challenge, and the runs on it."""
        found = await self._of(occasion)
        return found is None or found.shows_results(viewer)

    async def results(self, occasion: Occasion) -> tuple[Mapping[PlayerId, Result], int]:
        """Return the results of a challenge, and how many cards the deal itself brought home."""
        found = await self._of(occasion)
        return ({}, 0) if found is None else (found.results, found.made.home)

    async def is_void(self, occasion: Occasion, player: PlayerId) -> bool | None:
        """Return whether a result was taken back; `None` if there is none."""
        found = await self._of(occasion)
        entrant = found.players.get(player) if found is not None else None
        return entrant.void if entrant is not None and entrant.result is not None else None

    async def void(self, occasion: Occasion, player: PlayerId, *, is_void: bool) -> None:
        """Take a result back, or let it stand again. This is idempotent."""
        found = await self._of(occasion)
        if found is not None:
            await self._submit(
                found.id, lambda state, now: commands.void(state, player, now, is_void=is_void)
            )

    async def _of(self, occasion: Occasion) -> Challenge | None:
        challenge = challenge_of(occasion)
        return await self.find(challenge) if challenge is not None else None

    # The journals

    def used(self) -> list[Replica[Challenge, Entry]]:
        """Return the cached replicas that this node appends to, or follows."""
        return self._replicas.used()

    def follow(self, challenge: ChallengeId) -> None:
        """Cache a replica with those that are appended to, so that reads do not evict it."""
        self._replica(challenge)
        self._replicas.find_to_append(challenge)

    def known(self, challenge: ChallengeId) -> Challenge | None:
        """Return a challenge from its replica, or `None` if that is not cached or is busy."""
        replica = self._replicas.known(challenge)
        return replica.settled if replica is not None else None

    def receive(self, challenge: ChallengeId, number: int, text: str) -> Challenge | None:
        """Apply entry `number`, which another node has appended and published.

        Returns:
            The challenge after it, or `None` if it has to be read.

        Raises:
            UnreadableError: a newer release stored it.
        """
        replica = self._replicas.find_to_append(challenge)
        return replica.state if replica is not None and replica.receive(number, text) else None

    async def _submit(
        self, challenge: ChallengeId, decide: Callable[[Challenge, int], Event | None]
    ) -> Challenge:
        """Carry out a command on a challenge that there is."""
        if not is_id(challenge):
            raise Refusal("unknown_challenge")

        def decide_on_it(state: Challenge | None, now: int) -> Event | None:
            if state is None:
                raise Refusal("unknown_challenge")
            # An entry is never older than the one before it, even if the clock was set back.
            return decide(state, max(now, state.at))

        return await self._append(challenge, decide_on_it)

    async def _append(
        self, challenge: ChallengeId, decide: Callable[[Challenge | None, int], Event | None]
    ) -> Challenge:
        """Carry out a command, and cache the replica with those that are appended to."""
        step = await self._replica(challenge).decide(decide)
        self._replicas.find_to_append(challenge)
        return step.after

    def _replica(self, challenge: ChallengeId) -> Replica[Challenge, Entry]:
        replica = self._replicas.known(challenge)
        if replica is not None:
            return replica
        definition = ChallengeDefinition(challenge, self.appended)
        return self._replicas.put(challenge, Replica(self._journals, self._clock, definition))


def _is_retry(
    made: ChallengeMade, terms: Terms, named: Sequence[PlayerId], attempt: AttemptId | None
) -> bool:
    """Return whether a challenge is what a command makes that has its key, and its maker."""
    wanted = {*named} - {made.maker} - made.raced.keys()
    if {*made.named} != wanted:
        return False
    if attempt is None:
        return not made.raced and made.terms == terms
    deal, _ = split_attempt_id(attempt) or (None, None)
    one, other = ((each.open_for, each.target, each.circle) for each in (made.terms, terms))
    return deal == made.deal and one == other


async def _nobody(_: str) -> Collection[PlayerId | None]:
    """Return that nobody is in a circle."""
    return ()


def _out_of_time(challenge: Challenge) -> Result:
    """Return the result of an attempt that ended at the deadline without a move."""
    made = challenge.made
    rules = rules_of(made.terms.game, made.terms.variant, made.rules)
    return Result(rules.home_at_start, rules.total - rules.home_at_start, 0, 0, "time")
