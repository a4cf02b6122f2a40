"""Accounts: keep an identity, sign in on another device, leave.

Every player starts as a guest, known only by a token in one browser. A recovery code or a passkey,
its credentials, keep the identity. Codes are stored only as SHA-256 digests.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from hashlib import sha256
from typing import NamedTuple, TypeVar

import msgspec
from msgspec import Raw
from msgspec.structs import asdict

from server.accounts.core.effects import Deleted, Kept, PasskeyEntry
from server.accounts.core.keys import DEVICE_LIFE_S
from server.accounts.core.refusals import AccountRefusals
from server.accounts.store import AccountStore
from server.base.core.codes import (
    DEVICE_LENGTH,
    RECOVERY_LENGTH,
    is_recovery,
    parse_code,
    shown_code,
)
from server.base.core.ids import PlayerId
from server.base.core.refusal import Refusal
from server.base.outbox.outbox import Outbox
from server.base.work.clock import Clock
from server.base.work.random_text import random_bot_id, random_code
from server.base.work.tasks import in_slices, release
from server.players.core.account import MAX_PASSKEYS, Account, Passkey
from server.players.core.names import Profile
from server.players.identity import Identity
from server.players.sessions import Sessions
from server.results.core.history import ChallengeResult, DayResult, RoundResult
from server.results.histories import Histories

SLICE = 100  # results encoded per slice (0.2 ms) before the event loop serves others

K = TypeVar("K")


class DeviceCode(NamedTuple):
    """A one-time code that signs another device in."""

    code: str
    expires: int  # Unix milliseconds


class Accounts:
    """Keeps identities, and signs players in and out."""

    def __init__(
        self,
        store: AccountStore,
        identity: Identity,
        sessions: Sessions,
        outbox: Outbox,
        histories: Histories,
        *,
        clock: Clock,
    ) -> None:
        self._store = store
        self._clock = clock
        self._identity = identity
        self._sessions = sessions
        self._outbox = outbox
        self._histories = histories
        # Loaders of the data that other wings add to an export, by name.
        self.exported: dict[str, Callable[[PlayerId], Awaitable[object]]] = {}

    async def load(self, player: PlayerId) -> Account:
        """Return a player's account."""
        return await self._store.load(player)

    async def session_count(self, player: PlayerId) -> int:
        """Return the number of a player's sessions."""
        return len(await self._sessions.load(player))

    # Keeping

    async def passkeys(self, account: Account) -> list[Passkey]:
        """Return a player's passkeys, the oldest first."""
        return await self._store.passkeys(account)

    async def new_recovery_code(self, player: PlayerId, epoch: int, *, confirmed: bool) -> str:
        """Return a new recovery code, effective once the player keeps it.

        `confirmed` says whether the requesting session, of this epoch, has shown a credential.
        Refused as `confirm_first`, if a credential exists and was not shown, or as `bad_token`.
        """
        code = random_code(RECOVERY_LENGTH)
        given = (player, _digest(code), self._clock.now(), epoch)
        await self._store.offer_code(*given, confirmed=confirmed)
        return shown_code(code)

    async def keep_recovery_code(self, player: PlayerId, code: str) -> None:
        """Keep a player's identity by a new recovery code, replacing an earlier one.

        `code` is as returned by `parse_code`. Refused as `bad_code` if it is not the code the
        player was offered last, within the hour.
        """
        digest = _digest(code)
        if not await self._store.was_offered(player, digest):
            raise Refusal(AccountRefusals.bad_code)
        await self._outbox.submit(Kept(player, self._clock.now(), code=digest))
        # The effect is dropped if another credential was kept or removed in the meantime.
        if (await self.load(player)).recovery != digest:
            raise Refusal(AccountRefusals.bad_code)

    async def keep_passkey(self, passkey: Passkey, epoch: int, *, confirmed: bool) -> None:
        """Keep a player's identity by a verified passkey.

        `epoch` and `confirmed` are as for a recovery code. Refused as `confirm_first`, if a
        credential exists and was not shown; as `too_many_passkeys`; or as `bad_passkey`, if another
        player has it or the player has just signed out everywhere.
        """
        entry = PasskeyEntry(
            passkey.id, passkey.key, passkey.count, passkey.aaguid, epoch, confirmed
        )
        await self._outbox.submit(Kept(passkey.player, self._clock.now(), passkey=entry))
        # The effect has been applied or dropped by now.
        found = await self.load(passkey.player)
        if passkey.id in found.passkeys:
            return
        if found.kept is not None and not confirmed:
            raise Refusal(AccountRefusals.confirm_first)
        full = len(found.passkeys) >= MAX_PASSKEYS
        raise Refusal(AccountRefusals.too_many_passkeys if full else AccountRefusals.bad_passkey)

    # Bots

    async def create_bot(self, player: PlayerId, name: str, epoch: int) -> tuple[Profile, str]:
        """Create a player's bot and return its profile and token.

        `epoch` is the requesting session's. Refused as `not_kept`, `too_many_bots` or `bad_token`,
        or if the name is not allowed.

        Raises:
            UnavailableError: a bot may exist whose token is lost; the owner can delete it.
        """
        profile = Profile(random_bot_id(), self._identity.clean(name))
        made = (profile.id, profile.name, player, self._clock.now(), epoch)
        await self._store.add_bot(*made)
        return profile, await self._identity.token(profile.id, 0)

    async def delete_bot(self, player: PlayerId, bot: str) -> None:
        """Delete a player's bot. Refused as `unknown_bot`."""
        if bot not in (await self.load(player)).bots:
            raise Refusal(AccountRefusals.unknown_bot)
        await self.delete(PlayerId(bot))

    # Signing in

    async def link_device(self, player: PlayerId, epoch: int) -> DeviceCode:
        """Return a one-time code that signs another device in; it voids an earlier one.

        It does not work once the requesting session's `epoch` is over.
        """
        code, now = random_code(DEVICE_LENGTH), self._clock.now()
        await self._store.offer_device(player, _digest(code), now, epoch)
        return DeviceCode(shown_code(code), now + DEVICE_LIFE_S * 1000)

    async def sign_in(self, code: str) -> str:
        """Return a token for the owner of a recovery or device code.

        `code` is as `parse_code` returns it. Refused as `bad_code` if it is unknown, used or
        expired.

        Raises:
            UnavailableError: the store does not answer; a device code may be used up.
        """
        digest, now = _digest(code), self._clock.now()
        if not is_recovery(code):
            found = await self._store.take_device(digest, now)
            if found is None:
                raise Refusal(AccountRefusals.bad_code)
            return await self._identity.token(*found)
        player = await self._store.code_owner(digest)
        if player is None:
            raise Refusal(AccountRefusals.bad_code)
        # The token is of the epoch of the check: signing out everywhere or removing the code at the
        # same moment voids it.
        return await self._identity.token(player, await self._use_code(player, digest))

    async def check_code(self, player: PlayerId, code: str) -> None:
        """Check that a player knows the recovery code, and record its use.

        `code` is as returned by `parse_code`. Refused as `bad_code` if it is not the player's.
        """
        await self._use_code(player, _digest(code))

    async def _use_code(self, player: PlayerId, digest: str) -> int:
        epoch = await self._store.use_code(player, digest, self._clock.now())
        if epoch is None:
            raise Refusal(AccountRefusals.bad_code)
        return epoch

    async def passkey(self, credential: str) -> tuple[Passkey, Account]:
        """Return a passkey by its credential id (base64url), and its owner's account.

        Refused as `bad_passkey` if it is unknown.
        """
        found = await self._store.passkey(credential)
        if found is None:
            raise Refusal(AccountRefusals.bad_passkey)
        return found

    async def use_passkey(self, passkey: Passkey, count: int) -> None:
        """Record a verified use of a passkey and its new counter.

        Refused as `bad_passkey` if the counter was used or the passkey removed in the meantime.
        """
        if not await self._store.use_passkey(passkey, count, self._clock.now()):
            raise Refusal(AccountRefusals.bad_passkey)

    async def token(self, account: Account) -> str:
        """Return a player's token for the epoch of the account."""
        return await self._identity.token(account.player, account.epoch)

    # Leaving

    async def sign_out_everywhere(
        self,
        player: PlayerId,
        session: str,
        epoch: int,
        passkeys: Iterable[str] = (),
        *,
        recovery: bool = False,
    ) -> tuple[str, int]:
        """Void a player's tokens and close all sessions on all nodes except this one.

        `passkeys` are credential ids to remove, with the code if `recovery`. Return the new token
        and its epoch. Refused as `last_credential`, if no credential would be left, or as
        `bad_token`, if the player has been deleted or has signed out everywhere from another
        session.

        Raises:
            UnavailableError: the tokens may or may not be void.
        """
        stays = self._sessions.name_of(session)
        # One step, so that a thief's sessions and credentials end together.
        begun, found = await self._store.sign_out(player, stays, epoch, passkeys, recovery=recovery)
        token = await self._identity.token(player, begun)
        self._sessions.sign_out(player, begun, session, found)
        return token, begun

    async def export(self, player: PlayerId) -> str:
        """Return everything stored about a player, except secrets, as JSON."""
        account = await self.load(player)
        sessions = await self._sessions.load(player)
        history = await self._histories.load(player)
        found = {
            "samedeal": "account",
            "format": 1,
            "player": player,
            "name": account.name,
            "created": account.created,
            "kept": account.kept,
            "recovery_code": account.recovery is not None,
            "recovery_code_added": account.recovery_at,
            "recovery_code_used": account.recovery_used,
            "passkeys": [
                {
                    "id": each.id,
                    "added": account.passkeys[each.id],
                    "used": each.used,
                    "aaguid": each.aaguid,
                }
                for each in await self.passkeys(account)
            ],
            "signed_out_everywhere": account.epoch,
            "sessions": len(sessions),
            "bots": [{"id": bot, "created": at} for bot, at in account.bots.items()],
            "dailies": await _rows("day", history.days),
            "rounds": await _rows("deal", history.rounds),
            "challenges": await _rows("deal", history.challenges),
            "earlier_rounds": {game: asdict(sums) for game, sums in history.sums.items()},
            **{name: await load(player) for name, load in self.exported.items()},
        }
        # Freeing thousands of results at once would block the event loop for milliseconds.
        await release(history.days, history.rounds, history.challenges)
        return msgspec.json.encode(found).decode()

    async def delete(self, player: PlayerId) -> None:
        """Delete a player; results stay, anonymized.

        Raises:
            UnavailableError: the player may be deleted, wholly or in part, or not.
        """
        await self._outbox.submit(Deleted(player, self._clock.now()))


async def _rows(
    name: str, results: Mapping[tuple[str, K], DayResult | RoundResult | ChallengeResult]
) -> Raw:
    """Encode results as a JSON list, in slices: a player may have several thousand."""
    rows = bytearray(b"[")
    async for (game, key), result in in_slices(results.items(), SLICE):
        rows += msgspec.json.encode({"game": game, name: key, **asdict(result)}) + b","
    # Replaces the last comma.
    rows[-1 if results else 1 :] = b"]"
    return Raw(rows)


def parse_typed(text: str) -> str:
    """Return the code in typed text. Refused as `bad_code` if it is malformed."""
    code = parse_code(text)
    if code is None:
        raise Refusal(AccountRefusals.bad_code)
    return code


def _digest(code: str) -> str:
    # The prefix keeps these digests apart from other uses of SHA-256.
    return sha256(b"samedeal code\0" + code.encode()).hexdigest()
