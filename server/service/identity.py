"""Authentication: guest players, and the tokens by which they are recognized."""

from __future__ import annotations

from typing import NamedTuple

from server.core.ids import PlayerId
from server.core.names import Profile, clean_name
from server.core.refusal import Refusal
from server.service.keyring import Keyring
from server.service.ports import Clock, PlayerStore
from server.service.profiles import Profiles
from server.store.deals import random_id


class Identified(NamedTuple):
    """A player who has been recognized, or a new guest.

    Attributes:
        profile: the player's.
        token: the same token, or a new one that takes its place, or a new guest's.
        epoch: that of the token.
    """

    profile: Profile
    token: str
    epoch: int


class Identity:
    """Creates guests, and verifies the tokens of players."""

    def __init__(
        self, players: PlayerStore, profiles: Profiles, keyring: Keyring, clock: Clock
    ) -> None:
        self._players = players
        self._profiles = profiles
        self._keyring = keyring
        self._clock = clock

    async def enter(self, token: str | None, name: str | None) -> Identified:
        """Return the player of a token, or a new guest if there is no token.

        Args:
            token: as returned before, or `None` for a new guest.
            name: a new name, or `None` to keep the one that there is.

        Raises:
            Refusal: the token is not valid, or not any more, or the name is not allowed.
            UnavailableError: the store does not answer.
        """
        cleaned = clean_name(name) if name is not None else None
        if token is None:
            player, epoch, renew = PlayerId(random_id()), 0, True
        else:
            player, epoch, renew = await self._keyring.verify(token)
        profile, renamed = await self._players.keep(player, cleaned, epoch, self._clock.now())
        # Nobody knows a new guest by another name.
        self._remember(profile, renamed=renamed and token is not None)
        if token is None or renew:
            token = await self._keyring.token(player, epoch)
        return Identified(profile, token, epoch)

    async def rename(self, player: PlayerId, name: str) -> Profile:
        """Change a player's name, and return the new profile.

        Raises:
            Refusal: the name is not allowed, an operator hides the player's name, or the player has
                been deleted.
            UnavailableError: the store does not answer.
        """
        cleaned = clean_name(name)
        profile, renamed = await self._players.keep(player, cleaned, now=self._clock.now())
        self._remember(profile, renamed=renamed)
        if profile.name != cleaned:
            raise Refusal("name_hidden")
        return profile

    async def token(self, player: PlayerId, epoch: int) -> str:
        """Return the token of a player in an epoch.

        Raises:
            UnavailableError: the store does not answer.
        """
        return await self._keyring.token(player, epoch)

    def _remember(self, profile: Profile, *, renamed: bool) -> None:
        if renamed:
            self._profiles.rename(profile)
        else:
            self._profiles.keep(profile)
