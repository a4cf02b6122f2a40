"""Authentication: create guests, issue and verify player tokens."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from server.base.core.ids import PlayerId, has_owner
from server.base.core.refusal import Refusal
from server.base.seals.keyring import Keyring
from server.base.work.clock import Clock
from server.base.work.random_text import random_player_id
from server.players.core.names import Profile, Recorded, guest_name
from server.players.core.refusals import PlayerRefusals
from server.players.name_lists import NameLists
from server.players.profiles import Profiles
from server.players.store import PlayerStore


class Claim(NamedTuple):
    """A player as a token or a new guest names it, which the store has not confirmed."""

    player: PlayerId
    epoch: int  # the token's
    token: str | None  # the given token, unless another one is to be issued
    is_new: bool  # whether it is a new guest
    # The new name to store in the player's record, or an empty text for none; `None` for a new
    # guest without a name, who has no record.
    name: str | None


class Identified(NamedTuple):
    """A recognized player, or a new guest."""

    profile: Profile
    token: str  # the given token, its renewal, or a new guest's


class Identity:
    """Creates guests, names players, and verifies tokens.

    `extend` extends the expiry of a kept identity's credentials, if it has no results yet.
    """

    def __init__(
        self,
        players: PlayerStore,
        clock: Clock,
        profiles: Profiles,
        keyring: Keyring,
        names: NameLists,
        *,
        extend: Callable[[PlayerId], Awaitable[None]],
    ) -> None:
        self._players = players
        self._extend = extend
        self._profiles = profiles
        self._keyring = keyring
        self._clock = clock
        self._names = names

    async def claim(self, token: str | None, name: str | None) -> Claim:
        """Return the player of a token, or a new guest if there is no token.

        The caller stores the claim, and passes the outcome to `identify`. `name` is a new name; it
        is ignored if the player has changed names too often lately. Refused if the token is
        invalid; as `barred`, if a bot's owner is barred; or as `bad_name`.
        """
        try:
            cleaned = self._names.clean(name) if name is not None else None
        except Refusal as refusal:
            # Whatever is wrong with it, clients retry without a name.
            raise Refusal(PlayerRefusals.bad_name, refusal.text) from refusal
        if token is None:
            return Claim(random_player_id(), 0, None, is_new=True, name=cleaned)
        # This checks signature and age; the store checks the epoch.
        player, epoch, renew = await self._keyring.verify(token)
        if has_owner(player):
            await self._players.check_owner(player, self._clock.now())
        if cleaned is not None:
            wait = await self._players.take_rename(player, cleaned, self._clock.now())
            cleaned = None if wait else cleaned
        return Claim(player, epoch, None if renew else token, is_new=False, name=cleaned or "")

    async def identify(self, claim: Claim, recorded: Recorded | None) -> Identified:
        """Return the player of a claim, given the outcome of storing the player's record, if any.

        A renamed player's new name is published.
        """
        player = claim.player
        if recorded is None:
            recorded = Recorded(Profile(player, guest_name(player)), renamed=False, unused=False)
        if recorded.unused:
            await self._extend(player)
        # A new guest has no earlier name to replace.
        self._remember(recorded.profile, renamed=recorded.renamed and not claim.is_new)
        token = claim.token or await self._keyring.token(player, claim.epoch)
        return Identified(recorded.profile, token)

    async def rename(self, player: PlayerId, name: str) -> Profile:
        """Change a player's name, and return the new profile.

        Refused if the name is not allowed, the player has changed it too often lately, an operator
        hides it, or the player has been deleted.
        """
        cleaned = self._names.clean(name)
        if wait := await self._players.take_rename(player, cleaned, self._clock.now()):
            raise Refusal(PlayerRefusals.name_too_soon, wait=wait)
        profile, renamed, _ = await self._players.update(player, cleaned, now=self._clock.now())
        self._remember(profile, renamed=renamed)
        if profile.name != cleaned:
            raise Refusal(PlayerRefusals.name_hidden)
        return profile

    def clean(self, name: str) -> str:
        """Return a name as it is stored. Refused if the name is not allowed."""
        return self._names.clean(name)

    async def token(self, player: PlayerId, epoch: int) -> str:
        """Return a player's token for an epoch."""
        return await self._keyring.token(player, epoch)

    def _remember(self, profile: Profile, *, renamed: bool) -> None:
        if renamed:
            self._profiles.rename(profile)
        else:
            self._profiles.cache(profile)
