"""The challenges service: creating, playing and closing challenges.

A challenge closes at its deadline (on the next read or by the sweeper), when all invited players
have played, or when its creator closes it. Its results are final when every attempt is over.
`server/challenges/recorder.py` then enters them in the players' histories.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from engine.catalog import daily_variant, ruleset
from engine.errors import EngineError
from engine.schema import is_changes
from server.base.core.days import DRAWN_AHEAD, Level, day_at, level_of
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
from server.base.core.refusal import BaseRefusals, Refusal, UnavailableError
from server.base.journals.followed import Journals
from server.base.journals.reader import rules_of
from server.base.quotas.quotas import Quotas
from server.base.seals.keyring import Keyring
from server.base.work.clock import Clock
from server.base.work.random_text import id_of
from server.base.work.signal import AsyncSignal
from server.challenges.core import charges, commands, keys
from server.challenges.core.challenge import Challenge, Entrant, Entry
from server.challenges.core.creations import ByLeague, ByPlayer, Creation, RematchOf
from server.challenges.core.events import ChallengeMade, Event, Terms
from server.challenges.core.keys import ChallengeDue
from server.challenges.core.occasions import challenge_of, occasion_of
from server.challenges.core.refusals import ChallengeRefusals
from server.challenges.core.table import Table
from server.challenges.store import ChallengeStore
from server.challenges.tables import ChallengeTables
from server.deals.pool_store import PoolStore
from server.deals.store import Deal, DealStore
from server.play.answers import Snapshot
from server.play.attempts import Attempts
from server.play.core import keys as play_keys
from server.play.core.attempt import Attempt, Started
from server.play.core.finish import Finish
from server.play.core.refusals import PlayRefusals
from server.play.core.result import Result
from server.players.store import PlayerStore
from server.rooms.core.room import Round
from server.rooms.rooms import Rooms
from server.runs.core.refusals import RunRefusals

_LABEL = b"samedeal challenge\0"

MAX_NOTIFIED = 50
"""The most players notified of a rematch of a challenge by link."""

RETRY_AFTER_MS = 10_000
"""Milliseconds before a player refused for lack of capacity can retry."""

Members = Callable[[str], Awaitable[Collection[PlayerId | None]]]
"""Returns the members of a circle by its id; empty if it does not exist or cannot be read."""


@dataclass(frozen=True, slots=True)
class Page:
    """A challenge as shown to one player.

    Attributes:
        viewer: the player.
        deal: the challenge's deal; `None` if it is no longer stored.
        seed: the deal's seed in hexadecimal once the challenge has closed, `None` before; empty if
            it is no longer stored.
        mine: the viewer's result so far; `None` before they start.
        may_play: whether the viewer can start or resume an attempt now.
        opened: the number of viewers, for the creator; 0 for others.
        table: the table as visible to the viewer.
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
    """Carries out commands on challenges.

    Attributes:
        journals: the challenges' journals, and those that sessions follow.
        members: looks up a circle's members; set by the circles wing. Without it, circles are
            empty.
        tables: the cached order of recently viewed tables.
        begun: emitted with a challenge and a player who has started an attempt.
    """

    def __init__(
        self,
        store: ChallengeStore,
        attempts: Attempts,
        rooms: Rooms,
        quotas: Quotas,
        keyring: Keyring,
        *,
        journals: Journals[ChallengeId, Challenge, Entry],
        deals: DealStore,
        pools: PoolStore,
        players: PlayerStore,
        clock: Clock,
    ) -> None:
        self.journals = journals
        self.members: Members = _nobody
        self.tables = ChallengeTables()
        self.begun: AsyncSignal[Challenge, PlayerId] = AsyncSignal()
        self._store = store
        self._attempts = attempts
        self._rooms = rooms
        self._quotas = quotas
        self._keyring = keyring
        self._deals = deals
        self._pools = pools
        self._players = players
        self._clock = clock

    # Creation

    async def create(
        self,
        creator: PlayerId,
        terms: Terms,
        creation: str,
        *,
        named: Sequence[PlayerId] = (),
        attempt: AttemptId | None = None,
    ) -> Challenge:
        """Create a challenge. A retry returns the same challenge.

        Args:
            terms: the terms. On a race's deal, its game, limit and help replace those given.
            creation: idempotency key: a random string that the client repeats in a retry.
            named: the invited players; if any are given, only they and the creator can play.
            attempt: the creator's attempt in a finished race, whose deal is reused; `None` for a
                new deal.

        Raises:
            Refusal: if the game, variant, a player or the race is unknown; if the creator is not in
                the circle; if players outside the race have seen its deal, or all invited players
                raced on it; if the creator has the maximum number of open challenges; or as
                `key_used`, if the key belongs to a different challenge.
        """
        challenge = await self._id_of(ByPlayer(creator, creation))
        known = await self.journals.load(challenge)
        if known is not None:
            if not _is_retry(known.made, terms, named, attempt):
                raise Refusal(ChallengeRefusals.key_used)
            return known
        named = [each for each in dict.fromkeys(named) if each != creator]
        if any(not is_id(each) or is_bot(each) for each in named):
            raise Refusal(BaseRefusals.unknown_player)
        if named and await self._players.unknown(named):
            raise Refusal(BaseRefusals.unknown_player)
        if terms.circle is not None and creator not in await self.members(terms.circle):
            raise Refusal(ChallengeRefusals.not_in_circle)
        if attempt is None:
            made = await self._make(challenge, creator, terms, named=named)
            if not _is_retry(made.made, terms, named, attempt):
                # A concurrent command with the same key created a different challenge.
                raise Refusal(ChallengeRefusals.key_used)
            return made
        round_ = await self._round_of(attempt, creator)
        raced = {player: round_.results[player] for player in round_.players}
        left = [each for each in named if each not in raced]
        if named and not left:
            raise Refusal(PlayRefusals.already_played)
        terms = Terms(
            round_.terms.game,
            round_.terms.variant,
            round_.terms.limit,
            terms.open_for,
            round_.terms.help,
            terms.target,
            terms.circle,
        )
        return await self._make(
            challenge, creator, terms, named=left, deal=round_.deal, raced=raced
        )

    async def create_for_league(self, owner: PlayerId, terms: Terms, turn: int) -> Challenge:
        """Create the challenge for a turn of a circle's league, or return the existing one.

        Args:
            owner: the circle's owner, who becomes the creator.
            terms: the terms, including the circle.
            turn: the turn's number, counted from 0.

        Raises:
            Refusal: if the game is unknown, or the owner has the maximum number of open challenges.
        """
        assert terms.circle is not None, "a league belongs to a circle"
        challenge = await self._id_of(ByLeague(terms.circle, turn))
        known = await self.journals.load(challenge)
        return known or await self._make(challenge, owner, terms, league=turn)

    async def _id_of(self, creation: Creation) -> ChallengeId:
        # Derive the id from the creation, so that a retry finds the challenge and the id stays
        # secret.
        kind = type(creation).__name__
        return ChallengeId(id_of(await self._keyring.mac_of(_LABEL, kind, *creation)))

    async def _round_of(self, attempt: AttemptId, creator: PlayerId) -> Round:
        """Return the finished race round of an attempt by the creator.

        Raises:
            Refusal: as `unknown_run` if there is no such round; as `deal_open`; or as
                `deal_shown` if a bot took part, whose owner has seen the deal.
        """
        deal_id, player = split_attempt_id(attempt) or (None, None)
        deal = await self._deals.find(deal_id) if deal_id is not None else None
        if deal is None or deal.room is None or player != creator:
            raise Refusal(BaseRefusals.unknown_run)
        round_ = await self._rooms.round_on(deal.room, deal.id)
        if round_ is None or creator not in round_.players:
            raise Refusal(BaseRefusals.unknown_run)
        if not round_.over:
            raise Refusal(RunRefusals.deal_open)
        # A bot's owner has seen the deal.
        if any(map(has_owner, round_.players)):
            raise Refusal(ChallengeRefusals.deal_shown)
        return round_

    async def _make(
        self,
        challenge: ChallengeId,
        creator: PlayerId,
        terms: Terms,
        *,
        named: Sequence[PlayerId] = (),
        told: Sequence[PlayerId] = (),
        deal: DealId | None = None,
        raced: Mapping[PlayerId, Result] | None = None,
        follows: ChallengeId | None = None,
        league: int | None = None,
    ) -> Challenge:
        """Create a challenge that does not exist yet, on a new deal or a race's deal."""
        occasion, now = occasion_of(challenge), self._clock.now()
        try:
            ruleset(terms.game, terms.variant)
        except EngineError as error:
            raise Refusal.of(error) from error
        if terms.circle is not None and is_changes(terms.variant):
            raise Refusal(ChallengeRefusals.listed_only)
        # Reserve the slot first, so that concurrent commands cannot exceed the limit.
        if not await self._store.make(creator, challenge, now + terms.open_for, now):
            raise Refusal(ChallengeRefusals.too_many_challenges)
        try:
            found = await self._reserved(deal, occasion, terms)
        except (Refusal, UnavailableError):
            # Release the slot: this command created nothing, and a concurrent one holds its own
            # slot.
            await self._store.end(creator, challenge)
            raise
        home = rules_of(found.game, found.variant, found.rules).home_at_start

        def decide(state: Challenge | None, now: int) -> Event | None:
            if state is not None:
                return None
            return ChallengeMade(
                challenge,
                creator,
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

        after = await self.journals.decide(challenge, decide)
        if after.made.creator != creator:
            # Another player created this rematch concurrently, and it uses their slot.
            await self._store.end(creator, challenge)
        return after

    async def _reserved(self, deal: DealId | None, occasion: Occasion, terms: Terms) -> Deal:
        """Return the challenge's deal: a new deal, or a race's deal, reserved for it.

        Raises:
            Refusal: as `deal_shown`; or as `key_used`, if a concurrent command with the same key
                drew a deal for another game.
        """
        life = terms.open_for // 1000 + keys.DEAL_LIFE_S
        until = self._clock.now() + terms.open_for + keys.MAKING_MS
        if deal is None:
            level = await self._level(terms)
            drawn = await self._deals.draw_for(occasion, terms.game, terms.variant, life, level)
            if (drawn.game, drawn.variant) != (terms.game, terms.variant):
                raise Refusal(ChallengeRefusals.key_used)
            return drawn
        if not await self._deals.reserve(deal, occasion, life, until):
            raise Refusal(ChallengeRefusals.deal_shown)
        found = await self._deals.find(deal)
        if found is None:
            raise Refusal(BaseRefusals.unknown_run)
        return found

    async def _level(self, terms: Terms) -> Level | None:
        """Return the pool level for a new deal: today's, as for the daily.

        `None` if the pool has only enough deals for the coming dailies.
        """
        if terms.variant != daily_variant(terms.game):
            return None
        pooled = await self._pools.sizes([terms.game])
        return level_of(day_at(self._clock.now())) if pooled[terms.game] > DRAWN_AHEAD else None

    async def rematch(self, challenge: ChallengeId, player: PlayerId) -> Challenge:
        """Create the rematch of a challenge: same terms, same players, new deal.

        All players share one rematch. If it exists, it is returned.

        Raises:
            Refusal: if the challenge is unknown, the player has not played it or has left its
                circle; or as for `create`.
        """
        before = await self.load(challenge, player)
        commands.check_played(before, player)
        if not await self._is_for(before, player):
            raise Refusal(ChallengeRefusals.not_in_circle)
        following = before.rematch or await self._id_of(RematchOf(challenge))
        made = await self.journals.load(following)
        if made is None:
            people = [each for each in before.players if each != player and not is_bot(each)]
            # Players of a challenge by link are notified of the rematch, which stays open to
            # others.
            others = [] if before.made.named else people[:MAX_NOTIFIED]
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

    # Reading

    async def load(self, challenge: ChallengeId, viewer: PlayerId | None) -> Challenge:
        """Return the current state of a challenge, for a viewer who can see it.

        `viewer` is a player, or `None` for the public.

        Raises:
            Refusal: as `unknown_challenge`, if it does not exist, or is for a circle the
                viewer does not belong to.
        """
        found = await self.find(challenge)
        if found is None:
            raise Refusal(ChallengeRefusals.unknown_challenge)
        if viewer not in await self.allowed_viewers(found, [viewer]):
            raise Refusal(ChallengeRefusals.unknown_challenge)
        return found

    async def allowed_viewers(
        self, challenge: Challenge, viewers: Collection[PlayerId | None]
    ) -> Collection[PlayerId | None]:
        """Return the viewers who can see a challenge: its players and its audience.

        This is the only check of visibility, both for a first read and for subscriptions.
        """
        circle = challenge.made.terms.circle
        if circle is None:
            return viewers
        members = await self.members(circle)
        return {each for each in viewers if each in challenge.players or each in members}

    async def cost(self, challenge: ChallengeId, viewer: PlayerId, *, rows: int) -> float:
        """Return the additional cost of a command on a challenge, which depends on its size.

        It covers reading the journal if it is not cached. If `rows` of the table are shown, it also
        covers these, and sorting the table if its order is not cached.
        """
        known = self.journals.cached(challenge)
        if known is None:
            players = await self._store.size(challenge) if is_id(challenge) else 0
            cost, is_ordered = charges.READ_COST * players, False
        else:
            players, cost = len(known.players), 0.0
            is_ordered = self.tables.is_known(known, shows_results=known.shows_results(viewer))
        if rows:
            cost += charges.ROW_COST * min(players, rows)
            cost += 0.0 if is_ordered else charges.ORDER_COST * players
        return cost

    async def find(self, challenge: ChallengeId) -> Challenge | None:
        """Return the current state of a challenge without checking visibility, or `None`."""
        return await self.journals.load(challenge) if is_id(challenge) else None

    async def _is_for(self, challenge: Challenge, player: PlayerId | None) -> bool:
        """Return whether a player is in the challenge's circle, or the challenge has no circle."""
        circle = challenge.made.terms.circle
        if circle is None:
            return True
        return player in await self.members(circle)

    async def deal_of(self, challenge: Challenge) -> tuple[Deal | None, str | None]:
        """Return a challenge's deal, and the seed in hexadecimal if the challenge has closed.

        The deal is `None` and the seed empty if they are no longer stored.
        """
        deal = await self._deals.find(challenge.made.deal)
        if challenge.over is None:
            return deal, None
        return deal, deal.seed.hex() if deal is not None else ""

    async def page(self, challenge: Challenge, viewer: PlayerId) -> Page:
        """Return a challenge as shown to a player, reading the parts that are not cached."""
        made, own = challenge.made, challenge.players.get(viewer)
        deal, seed = await self.deal_of(challenge)
        mine = own.result if own is not None else None
        if own is not None and own.is_playing:
            # Only the attempt's own journal has its progress.
            attempt = await self._attempts.find(challenge.attempt(viewer))
            mine = attempt.result if attempt is not None else None
        is_member = await self._is_for(challenge, viewer)
        may_play = commands.may_begin(challenge, viewer, self._clock.now(), is_member=is_member)
        opened = await self._store.lookers(challenge.id) if viewer == made.creator else 0
        table = self.table(challenge, viewer)
        return Page(challenge, viewer, deal, seed, mine, may_play, opened, table)

    def table(self, challenge: Challenge, viewer: PlayerId | None) -> Table:
        """Return the table of a challenge as visible to a viewer; `None` is the public."""
        return self.tables.of(challenge, shows_results=challenge.shows_results(viewer))

    async def look(self, challenge: Challenge, player: PlayerId) -> None:
        """Record a player's view of a challenge. Its creator sees the number of viewers."""
        if player == challenge.made.creator:
            return
        until = challenge.made.closes + keys.CHALLENGE_LIFE_MS
        if await self._store.look(challenge.id, player, until):
            self._quotas.note(player, charges.kept(charges.LOOKER_BYTES))

    # Playing

    async def play(
        self, challenge: ChallengeId, player: PlayerId, *, anew: bool = True
    ) -> Snapshot:
        """Start a player's attempt, or resume it.

        Args:
            challenge: the challenge.
            player: the player.
            anew: whether the server has capacity for new attempts.

        Raises:
            Refusal: if the challenge is unknown, closed or full, or the player has played it or is
                not allowed to; for a new attempt also as `overloaded` without capacity, or as
                `address_full` if too much is stored for the player's address.
        """
        # A node whose clock is wrong must not end an attempt early.
        now = await self._clock.confirm()
        before = await self.load(challenge, player)
        is_member = await self._is_for(before, player)
        begins = commands.begin(before, player, now, is_member=is_member) is not None
        if begins:
            if not anew:
                raise Refusal(BaseRefusals.overloaded, wait=RETRY_AFTER_MS)
            # Charge before the append: a started attempt can no longer be refused.
            items = charges.begun(before.made.terms.limit, before.made.closes - now)
            await self._quotas.take(self._quotas.where(player), "game", items)
        after = await self._submit(
            challenge,
            lambda state, now: commands.begin(state, player, now, is_member=is_member),
        )
        # The start is in the journal now, so any node can repeat this step.
        await self._start(after, player)
        attempt = await self._attempts.find(after.attempt(player))
        await self._store.add(player, challenge, after.at)
        if begins:
            await self.begun.emit(after, player)
        if attempt is None or attempt.end is not None:
            raise Refusal(PlayRefusals.already_played)
        return await self._attempts.snapshot(attempt)

    async def _start(self, challenge: Challenge, player: PlayerId) -> Attempt:
        """Start a player's attempt, unless it is already started.

        Raises:
            Refusal: if the deal is no longer stored.
        """
        made, own = challenge.made, challenge.players[player]
        assert own.begun is not None, "the attempt has started"
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
        """Record the result of a finished attempt, if it is an attempt at a challenge."""
        challenge = challenge_of(finish.occasion)
        if challenge is not None:
            await self._finish(challenge, finish.player, finish.result)

    async def _finish(
        self, challenge: ChallengeId, player: PlayerId, result: Result
    ) -> Challenge | None:
        """Record a result. This is idempotent; return `None` if the challenge does not exist."""
        try:
            return await self._submit(
                challenge, lambda state, now: commands.finish(state, player, result, now)
            )
        except Refusal:
            return None

    async def pass_deadline(self, due: ChallengeDue) -> bool:
        """Close a challenge at its deadline, and end the attempts whose deadline has passed.

        Returns:
            Whether the challenge is settled or does not exist. It can still be open if the caller's
            clock was ahead.
        """
        found = await self.find(ChallengeId(due.name))
        if found is None or found.over is None:
            return found is None
        for player, entrant in found.players.items():
            if entrant.is_playing:
                result = await self._result_of(found, player, entrant)
                if result is not None:
                    await self._finish(ChallengeId(due.name), player, result)
        found = await self.find(ChallengeId(due.name))
        return found is None or found.is_settled

    async def _result_of(
        self, challenge: Challenge, player: PlayerId, entrant: Entrant
    ) -> Result | None:
        """Return the result of an attempt past its deadline; `None` if it is still running."""
        try:
            await self._start(challenge, player)
        except Refusal:
            # The store has lost the deal, so the attempt cannot have been played.
            return _out_of_time(challenge)
        attempt = await self._attempts.find(challenge.attempt(player))
        if attempt is not None:
            return attempt.result if attempt.end is not None else None
        # An attempt with a move would still be stored.
        kept_until = entrant.deadline + play_keys.UNPLAYED_LIFE_MS
        return _out_of_time(challenge) if self._clock.now() >= kept_until else None

    # Other commands

    async def close(self, challenge: ChallengeId, player: PlayerId) -> Challenge:
        """Close a challenge early: no new attempts start, and running ones continue.

        Raises:
            Refusal: if the challenge is unknown, was created by another player, or is for a circle.
        """
        before = await self.load(challenge, player)
        found = await self._submit(challenge, lambda state, now: commands.close(state, player, now))
        if found.version > before.version:
            self._quotas.note(player, charges.kept(charges.ENTRY_BYTES))
        return found

    async def emote(
        self, challenge: ChallengeId, by: PlayerId, player: PlayerId, emote: int | None
    ) -> Challenge:
        """Send an emote for a player's run, or remove it.

        Raises:
            Refusal: if the challenge or run is unknown, or the sender has not played.
        """
        before = await self.load(challenge, by)
        found = await self._submit(
            challenge, lambda state, now: commands.emote(state, by, player, emote, now)
        )
        if found.version > before.version:
            self._quotas.note(by, charges.kept(charges.ENTRY_BYTES))
        return found

    # Implementation of `server.runs.closed_deals.Occasions`

    async def may_see(self, occasion: Occasion, viewer: PlayerId | None) -> bool:
        """Return whether a viewer can see a challenge's deal and the runs on it."""
        found = await self._of(occasion)
        return found is None or found.shows_results(viewer)

    async def results(self, occasion: Occasion) -> tuple[Mapping[PlayerId, Result], int]:
        """Return a challenge's results, and the number of cards that are home after dealing."""
        found = await self._of(occasion)
        return ({}, 0) if found is None else (found.results, found.made.home)

    async def is_void(self, occasion: Occasion, player: PlayerId) -> bool | None:
        """Return whether a result is void; `None` if there is no result."""
        found = await self._of(occasion)
        entrant = found.players.get(player) if found is not None else None
        return entrant.void if entrant is not None and entrant.result is not None else None

    async def void(self, occasion: Occasion, player: PlayerId, *, is_void: bool) -> None:
        """Void or restore a result. This is idempotent."""
        found = await self._of(occasion)
        if found is not None:
            await self._submit(
                found.id, lambda state, now: commands.void(state, player, now, is_void=is_void)
            )

    async def _of(self, occasion: Occasion) -> Challenge | None:
        challenge = challenge_of(occasion)
        return await self.find(challenge) if challenge is not None else None

    async def _submit(
        self, challenge: ChallengeId, decide: Callable[[Challenge, int], Event | None]
    ) -> Challenge:
        """Execute a command on an existing challenge."""
        if not is_id(challenge):
            raise Refusal(ChallengeRefusals.unknown_challenge)

        def decide_on_it(state: Challenge | None, now: int) -> Event | None:
            if state is None:
                raise Refusal(ChallengeRefusals.unknown_challenge)
            # Keep entry times monotonic, even if the clock was set back.
            return decide(state, max(now, state.at))

        return await self.journals.decide(challenge, decide_on_it)


def _is_retry(
    made: ChallengeMade, terms: Terms, named: Sequence[PlayerId], attempt: AttemptId | None
) -> bool:
    """Return whether a command with the same creator and key would make this challenge."""
    # The stored challenge does not list its creator and the racers as invited.
    wanted = {*named} - {made.creator} - made.raced.keys()
    if {*made.named} != wanted:
        return False
    if attempt is None:
        return not made.raced and made.terms == terms
    deal, _ = split_attempt_id(attempt) or (None, None)
    one, other = ((each.open_for, each.target, each.circle) for each in (made.terms, terms))
    return deal == made.deal and one == other


async def _nobody(_: str) -> Collection[PlayerId | None]:
    """Return no members."""
    return ()


def _out_of_time(challenge: Challenge) -> Result:
    """Return the result of an attempt that ran out of time without a move."""
    made = challenge.made
    rules = rules_of(made.terms.game, made.terms.variant, made.rules)
    return Result(rules.home_at_start, rules.total - rules.home_at_start, 0, 0, "time")
