"""Accounts: how a player keeps an identity, signs in elsewhere, and leaves.

Everybody begins as a guest, whom only a token in one browser knows. A recovery code or a passkey
keeps the identity. No code is ever stored, only its SHA-256.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from hashlib import sha256
from typing import NamedTuple, TypeVar

import msgspec
from msgspec import Raw
from msgspec.structs import asdict

from server.core.account import MAX_PASSKEYS, Account, Passkey
from server.core.codes import DEVICE_LENGTH, RECOVERY_LENGTH, is_recovery, read_code, shown_code
from server.core.history import DayResult, RoundResult
from server.core.ids import ALPHABET, PlayerId
from server.core.refusal import Refusal
from server.service.effects import Effects
from server.service.histories import Histories
from server.service.identity import Identity
from server.service.outbox_entries import Deleted, Kept, PasskeyEntry
from server.service.sessions import Sessions
from server.service.store import Store
from server.service.tasks import in_slices, release
from server.store.keys import DEVICE_LIFE

SLICE = 100
"""Results that are written down before the event loop serves others: they take it 0.2 ms."""

K = TypeVar("K")


class DeviceCode(NamedTuple):
    """A code that signs another device in once, until a time in Unix milliseconds."""

    code: str
    expires: int


class Accounts:
    """Keeps identities, and signs players in and out."""

    def __init__(
        self,
        store: Store,
        identity: Identity,
        sessions: Sessions,
        effects: Effects,
        histories: Histories,
    ) -> None:
        self._accounts = store.accounts
        self._clock = store.clock
        self._identity = identity
        self._sessions = sessions
        self._effects = effects
        self._histories = histories

    async def find(self, player: PlayerId) -> Account:
        """Return a player's account.

        Raises:
            UnavailableError: the store does not answer.
        """
        return await self._accounts.find(player)

    async def session_count(self, player: PlayerId) -> int:
        """Return how many sessions a player has.

        Raises:
            UnavailableError: the store does not answer.
        """
        return len(await self._sessions.of(player))

    # Keeping

    async def new_recovery_code(self, player: PlayerId) -> str:
        """Return a new recovery code, in place of the one that the player had.

        Raises:
            UnavailableError: the earlier code may hold or not; the new one is known to nobody.
        """
        code = _random_code(RECOVERY_LENGTH)
        await self._effects.submit(Kept(player, self._clock.now(), code=_digest(code)))
        return shown_code(code)

    async def keep_passkey(self, passkey: Passkey) -> None:
        """Keep a player's identity by a passkey that has been verified.

        Raises:
            Refusal: as `too_many_passkeys`, if the player has as many as one may have, or as
                `bad_passkey`, if it is another player's.
            UnavailableError: it may be kept or not.
        """
        entry = PasskeyEntry(passkey.id, passkey.key, passkey.count)
        await self._effects.submit(Kept(passkey.player, self._clock.now(), passkey=entry))
        found = await self.find(passkey.player)
        if passkey.id not in found.passkeys:
            full = len(found.passkeys) >= MAX_PASSKEYS
            raise Refusal("too_many_passkeys" if full else "bad_passkey")

    # Signing in

    async def link_device(self, player: PlayerId) -> DeviceCode:
        """Return a code that signs another device in, once; an earlier one is void.

        Raises:
            UnavailableError: the code holds for nobody.
        """
        code, now = _random_code(DEVICE_LENGTH), self._clock.now()
        await self._accounts.offer_device(player, _digest(code), now)
        return DeviceCode(shown_code(code), now + DEVICE_LIFE * 1000)

    async def sign_in(self, code: str) -> str:
        """Return the token of the player whose recovery or device code it is.

        Args:
            code: as `read_code` returns it.

        Raises:
            Refusal: as `bad_code`, if it is nobody's, or not any more.
            UnavailableError: the store does not answer; a device code may be used up.
        """
        digest = _digest(code)
        if is_recovery(code):
            player = await self._accounts.code_owner(digest)
        else:
            player = await self._accounts.take_device(digest, self._clock.now())
        if player is None:
            raise Refusal("bad_code")
        return await self._token(player)

    async def passkey(self, credential: str) -> Passkey:
        """Return a player's passkey by its credential id (base64url).

        Raises:
            Refusal: as `bad_passkey`, if nobody has it.
            UnavailableError: the store does not answer.
        """
        found = await self._accounts.passkey(credential)
        if found is None:
            raise Refusal("bad_passkey")
        return found

    async def sign_in_by_passkey(self, passkey: Passkey, count: int) -> str:
        """Return the token of the player whose passkey was verified with this new counter.

        Raises:
            UnavailableError: the store does not answer.
        """
        await self._accounts.count_passkey(passkey.id, count)
        return await self._token(passkey.player)

    async def _token(self, player: PlayerId) -> str:
        return await self._identity.token(player, (await self.find(player)).epoch)

    # Leaving

    async def sign_out_everywhere(self, player: PlayerId, session: str) -> tuple[str, int]:
        """Void all tokens of a player, and close all sessions on all nodes but one of this node.

        Args:
            player: the player.
            session: the id of the session that stays.

        Returns:
            The player's new token, and its epoch.

        Raises:
            UnavailableError: the tokens may be void or not.
        """
        stays = self._sessions.name_of(session)
        epoch, found = await self._accounts.sign_out(player, stays)
        token = await self._identity.token(player, epoch)
        self._sessions.sign_out(player, epoch, session, found)
        return token, epoch

    async def export(self, player: PlayerId) -> str:
        """Return all that is stored under a player, but for secrets, as JSON.

        Raises:
            UnavailableError: the store does not answer.
        """
        account = await self.find(player)
        sessions = await self._sessions.of(player)
        history = await self._histories.find(player)
        found = {
            "samedeal": "account",
            "format": 1,
            "player": player,
            "name": account.name,
            "created": account.created,
            "kept": account.kept,
            "recovery_code": account.recovery is not None,
            "passkeys": [{"id": name, "added": at} for name, at in account.passkeys.items()],
            "signed_out_everywhere": account.epoch,
            "sessions": len(sessions),
            "dailies": await _rows("day", history.days),
            "rounds": await _rows("deal", history.rounds),
            "earlier_rounds": {game: asdict(sums) for game, sums in history.sums.items()},
        }
        await release(history.days, history.rounds)
        return msgspec.json.encode(found).decode()

    async def delete(self, player: PlayerId) -> None:
        """Delete a player; results stay where they are, without a name.

        Raises:
            UnavailableError: the player may be deleted, or in part, or not.
        """
        await self._effects.submit(Deleted(player, self._clock.now()))


async def _rows(name: str, results: Mapping[tuple[str, K], DayResult | RoundResult]) -> Raw:
    """Return results as a list in JSON, made in slices, since there may be some thousands."""
    rows = bytearray(b"[")
    async for (game, key), result in in_slices(results.items(), SLICE):
        rows += msgspec.json.encode({"game": game, name: key, **asdict(result)}) + b","
    rows[-1 if results else 1 :] = b"]"
    return Raw(rows)


def read_typed(text: str) -> str:
    """Return the code that somebody typed.

    Raises:
        Refusal: as `bad_code`, if it cannot be one.
    """
    code = read_code(text)
    if code is None:
        raise Refusal("bad_code")
    return code


def _random_code(length: int) -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


def _digest(code: str) -> str:
    return sha256(b"samedeal code\0" + code.encode()).hexdigest()
