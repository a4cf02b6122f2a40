"""Players' lists of challenges: created by them, sent to them, or started by them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from server.base.core.ids import ChallengeId, PlayerId, is_id
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.journals.readable import readable
from server.base.nodes.node_bus import NodeBus
from server.base.work.clock import Clock
from server.base.work.signal import Signal
from server.challenges.challenges import Challenges
from server.challenges.core import listed as core
from server.challenges.core.bus import Listed
from server.challenges.core.challenge import Challenge
from server.challenges.core.effects import ChallengeOpened
from server.challenges.core.listed import ListedChallenge
from server.challenges.store import ChallengeStore
from server.players.core.names import Profile
from server.players.profiles import Profiles
from server.players.sessions import Sessions
from server.players.store import PlayerStore

Pay = Callable[[int], None]
"""Called with the number of items before work on them. An exception from it ends the command."""


class ChallengeLists:
    """Reads and changes players' lists.

    Attributes:
        grown: emitted with a connected player of this node who has been challenged.
    """

    def __init__(
        self,
        store: ChallengeStore,
        challenges: Challenges,
        profiles: Profiles,
        sessions: Sessions,
        node_bus: NodeBus,
        *,
        players: PlayerStore,
        clock: Clock,
    ) -> None:
        self.grown: Signal[PlayerId] = Signal()
        self._store = store
        self._challenges = challenges
        self._profiles = profiles
        self._sessions = sessions
        self._players = players
        self._clock = clock
        node_bus.on(Listed, lambda message: self.grown.emit(message.player))

    async def ids(self, player: PlayerId) -> list[ChallengeId]:
        """Return the challenges in a player's list, latest first."""
        return list((await self._store.read(player)).challenges)

    async def load(
        self, player: PlayerId, *, seen: bool = False
    ) -> list[tuple[ListedChallenge, Profile]]:
        """Return a player's challenges with their creators, latest first.

        Reads summaries instead of journals, so the time does not depend on the number of players.
        Expired challenges are removed from the list, and unreadable ones are omitted.

        `seen` marks the list as viewed.
        """
        now = self._clock.now()
        listed = await self._store.read(player)
        found = await readable(
            {each: self._store.standing(player, each) for each in listed.challenges}
        )
        await self._store.hide(player, *found.gone)
        if seen:
            await self._store.see(player, now)
        profiles = await self._profiles.load(each.summary.creator for each in found.read.values())
        return [
            (
                core.listed(
                    each.summary,
                    player,
                    listed.seen,
                    score=each.score,
                    up_to=each.up_to,
                    told=name in listed.told,
                    now=now,
                ),
                profiles[each.summary.creator],
            )
            for name, each in found.read.items()
        ]

    async def hide(self, player: PlayerId, challenge: ChallengeId) -> None:
        """Remove a challenge from a player's list. This is idempotent."""
        await self._store.hide(player, challenge)

    async def recipients_of(self, found: Challenge) -> list[PlayerId]:
        """Return the invited or notified players whose list received a challenge."""
        made = found.made
        players = list(dict.fromkeys((*made.named, *made.told)))
        listed = await asyncio.gather(*(self._store.is_listed(each, found.id) for each in players))
        return [player for player, came in zip(players, listed, strict=True) if came]

    async def export(self, player: PlayerId) -> object:
        """Return a player's list and blocked players as JSON-compatible values.

        `came` has the time in Unix milliseconds when each challenge was added.
        """
        listed = await self._store.read(player)
        return {"came": listed.challenges, "blocked": await self._store.blocked(player)}

    # Blocked players

    async def block(
        self, player: PlayerId, other: PlayerId, pay: Pay = lambda _: None, *, blocked: bool
    ) -> list[Profile]:
        """Block or unblock another player's challenges; return the blocked players.

        `pay` is called as in `blocked`.

        Raises:
            Refusal: as `unknown_player`.
        """
        if not is_id(other) or await self._players.unknown([other]):
            raise Refusal(BaseRefusals.unknown_player)
        if not blocked:
            await self._store.unblock(player, other)
        elif other != player:
            await self._store.block(player, other, self._clock.now())
        return await self.blocked(player, pay)

    async def blocked(self, player: PlayerId, pay: Pay = lambda _: None) -> list[Profile]:
        """Return the players whose challenges a player blocked, latest first.

        `pay` is called with their number before their names are read.
        """
        found = await self._store.blocked(player)
        pay(len(found))
        profiles = await self._profiles.load(found)
        return [profiles[each] for each in found]

    async def forget(self, player: PlayerId) -> None:
        """Delete a deleted player's lists. Challenges stay, without the player's name."""
        await self._store.forget(player)

    async def tell(self, opened: ChallengeOpened) -> None:
        """Add a new challenge to the lists of its creator and recipients. This is idempotent."""
        found = await self._challenges.find(opened.challenge)
        if found is None:
            return
        made = found.made
        await self._store.add(made.creator, made.challenge, made.at)
        players = list(dict.fromkeys((*made.named, *made.told)))
        offered = await asyncio.gather(
            *(self._store.offer(each, made.challenge, made.at, made.creator) for each in players)
        )
        told = [player for player, came in zip(players, offered, strict=True) if came]
        for player in filter(self._sessions.is_here, told):
            self.grown.emit(player)
        if told:
            await self._sessions.publish_to_all({player: Listed(player) for player in told})
