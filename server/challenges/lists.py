"""The challenges of each player: those they made, were named in or told of, or have begun."""

from __future__ import annotations

import asyncio

from server.base.core.ids import ChallengeId, PlayerId
from server.base.core.refusal import UnreadableError
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


class ChallengeLists:
    """Reads and changes players' lists.

    Attributes:
        grown: emitted with a player of this node who has been challenged.
    """

    def __init__(
        self,
        store: ChallengeStore,
        challenges: Challenges,
        profiles: Profiles,
        sessions: Sessions,
        node_bus: NodeBus,
        *,
        clock: Clock,
    ) -> None:
        self.grown: Signal[PlayerId] = Signal()
        self._store = store
        self._challenges = challenges
        self._profiles = profiles
        self._sessions = sessions
        self._clock = clock
        node_bus.on(Listed, lambda message: self.grown.emit(message.player))

    async def load(
        self, player: PlayerId, *, seen: bool = False
    ) -> list[tuple[ListedChallenge, Profile]]:
        """Return a player's challenges, each with who made it, the latest first.

        It reads a journal for each, of those that this node has only what is new. What is not kept
        any more is taken off the list.

        Args:
            player: the player.
            seen: whether the player has now seen what is new in them.
        """
        now = self._clock.now()
        listed = await self._store.read(player)
        found = await asyncio.gather(*map(self._find, listed.challenges))
        known = {each.id: each for each in found if isinstance(each, Challenge)}
        gone = [name for name, each in zip(listed.challenges, found, strict=True) if each is None]
        await self._store.hide(player, *gone)
        if seen:
            await self._store.see(player, now)
        profiles = await self._profiles.load(each.made.maker for each in known.values())
        return [
            (core.listed(each, player, listed.seen), profiles[each.made.maker])
            for each in known.values()
        ]

    async def _find(self, challenge: ChallengeId) -> Challenge | UnreadableError | None:
        """Return a challenge; an error if only a newer release can read it, which it is left to."""
        try:
            return await self._challenges.find(challenge)
        except UnreadableError as error:
            return error

    async def hide(self, player: PlayerId, challenge: ChallengeId) -> None:
        """Take a challenge off a player's list. This is idempotent."""
        await self._store.hide(player, challenge)

    async def ids(self, player: PlayerId) -> dict[ChallengeId, int]:
        """Return when each challenge came into a player's list, in Unix milliseconds."""
        return (await self._store.read(player)).challenges

    async def forget(self, player: PlayerId) -> None:
        """Delete what is kept under a player who is deleted; challenges stay, without a name."""
        await self._store.forget(player)

    async def tell(self, opened: ChallengeOpened) -> None:
        """Put a challenge into the lists of those whom it is for. This is idempotent."""
        found = await self._challenges.find(opened.challenge)
        if found is None:
            return
        made = found.made
        await self._store.add(made.maker, made.challenge, made.at, own=True)
        for player in dict.fromkeys((*made.named, *made.told)):
            if await self._store.add(player, made.challenge, made.at):
                if self._sessions.is_here(player):
                    self.grown.emit(player)
                await self._sessions.publish_to_all(player, Listed(player))
