"""Authentication: guest players, and the tokens by which they are recognized.

A token is the player's id and an HMAC-SHA256 over it, and carries nothing else. It is never logged.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode

from server.core.ids import PlayerId, is_id
from server.core.names import Profile, clean_name
from server.core.refusal import Refusal
from server.service.ports import PlayerStore
from server.service.profiles import Profiles
from server.store.deals import random_id

_LABEL = b"samedeal token 1\0"


class Identity:
    """Creates guests, and verifies their tokens."""

    def __init__(self, players: PlayerStore, profiles: Profiles) -> None:
        self._players = players
        self._profiles = profiles
        self._secret: bytes | None = None

    async def enter(self, token: str | None, name: str | None) -> tuple[Profile, str]:
        """Return the profile and token of a player, creating a guest if there is no token.

        Args:
            token: as returned before, or `None` for a new guest.
            name: a new name, or `None` to keep the one that there is.

        Raises:
            Refusal: the token's signature is not valid, or the name is not allowed.
            UnavailableError: the store does not answer.
        """
        if self._secret is None:
            self._secret = await self._players.secret()
        cleaned = clean_name(name) if name is not None else None
        player = PlayerId(random_id()) if token is None else self._verified(token, self._secret)
        profile = await self._keep(player, cleaned)
        return profile, _sign(player, self._secret)

    async def rename(self, player: PlayerId, name: str) -> Profile:
        """Change a player's name, and return the new profile.

        Raises:
            Refusal: the name is not allowed, or an operator hides the player's name.
            UnavailableError: the store does not answer.
        """
        cleaned = clean_name(name)
        profile = await self._keep(player, cleaned)
        if profile.name != cleaned:
            raise Refusal("name_hidden")
        return profile

    async def _keep(self, player: PlayerId, name: str | None) -> Profile:
        profile, renamed = await self._players.keep(player, name)
        if renamed:
            self._profiles.rename(profile)
        else:
            self._profiles.keep(profile)
        return profile

    @staticmethod
    def _verified(token: str, secret: bytes) -> PlayerId:
        player = PlayerId(token.partition(".")[0])
        if not is_id(player) or not hmac.compare_digest(
            _sign(player, secret).encode(), token.encode()
        ):
            raise Refusal("bad_token")
        return player


def _sign(player: PlayerId, secret: bytes) -> str:
    """Return the token of a player: the id, a dot, and the signature in base64."""
    signature = hmac.digest(secret, _LABEL + player.encode(), "sha256")
    return f"{player}.{urlsafe_b64encode(signature).rstrip(b'=').decode()}"
