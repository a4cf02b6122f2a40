"""Accounts: how a player keeps an identity, signs in elsewhere, and leaves.

Everybody begins as a guest, whom only a token in one browser knows. A recovery code or a passkey
keeps the identity: they are its credentials. Only who has one may change them, so a token that was
stolen for a moment changes nothing for good. No code is ever stored, only its SHA-256.
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
        self.exported: dict[str, Callable[[PlayerId], Awaitable[object]]] = {}
        """Loads data of other wings that are exported with a player, by their names."""

    async def load(self, player: PlayerId) -> Account:
        """Return a player's account."""
        return await self._store.load(player)

    async def session_count(self, player: PlayerId) -> int:
        """Return how many sessions a player has."""
        return len(await self._sessions.load(player))

    # Keeping

    async def passkeys(self, account: Account) -> list[Passkey]:
        """Return a player's passkeys, the oldest first."""
        return await self._store.passkeys(account)

    async def new_recovery_code(self, player: PlayerId, epoch: int, *, confirmed: bool) -> str:
        """Return a new recovery code, which counts once the player has kept it.

        Args:
            player: the player.
            epoch: that of the session that asks.
            confirmed: whether the player has shown a credential there.

        Raises:
            Refusal: as `confirm_first`, if there is a credential that was not shown; as
                `bad_token`.
            UnavailableError: the new one is known to nobody.
        """
        code = random_code(RECOVERY_LENGTH)
        given = (player, _digest(code), self._clock.now(), epoch)
        if refused := await self._store.offer_code(*given, confirmed=confirmed):
            raise Refusal(refused)
        return shown_code(code)

    async def keep_recovery_code(self, player: PlayerId, code: str) -> None:
        """Keep a player's identity by the new recovery code, in place of an earlier one.

        Args:
            player: the player.
            code: as `parse_code` returns it.

        Raises:
            Refusal: as `bad_code`, if the player has not just been given it.
        """
        digest = _digest(code)
        if not await self._store.was_offered(player, digest):
            raise Refusal("bad_code")
        await self._outbox.submit(Kept(player, self._clock.now(), code=digest))
        if (await self.load(player)).recovery != digest:
            raise Refusal("bad_code")

    async def keep_passkey(self, passkey: Passkey, epoch: int, *, confirmed: bool) -> None:
        """Keep a player's identity by a passkey that has been verified.

        Args:
            passkey: the passkey.
            epoch: that of the session that asks.
            confirmed: whether the player has shown a credential there.

        Raises:
            Refusal: as `confirm_first`, if there is a credential that was not shown; as
                `too_many_passkeys`, if the player has as many as one may have; or as `bad_passkey`,
                if it is another player's, or the player has just signed out everywhere.
        """
        entry = PasskeyEntry(
            passkey.id, passkey.key, passkey.count, passkey.aaguid, epoch, confirmed
        )
        await self._outbox.submit(Kept(passkey.player, self._clock.now(), passkey=entry))
        found = await self.load(passkey.player)
        if passkey.id in found.passkeys:
            return
        if found.kept is not None and not confirmed:
            raise Refusal("confirm_first")
        full = len(found.passkeys) >= MAX_PASSKEYS
        raise Refusal("too_many_passkeys" if full else "bad_passkey")

    # Bots

    async def create_bot(self, player: PlayerId, name: str, epoch: int) -> tuple[Profile, str]:
        """Make a bot that a player answers for, and return its profile and its token.

        Args:
            player: the player.
            name: the bot's.
            epoch: that of the session that asks.

        Raises:
            Refusal: as `not_kept`, `too_many_bots` or `bad_token`, or the name is not allowed.
            UnavailableError: there may be a bot whose token nobody knows; it can be deleted.
        """
        profile = Profile(random_bot_id(), self._identity.clean(name))
        made = (profile.id, profile.name, player, self._clock.now(), epoch)
        if refused := await self._store.add_bot(*made):
            raise Refusal(refused)
        return profile, await self._identity.token(profile.id, 0)

    async def delete_bot(self, player: PlayerId, bot: str) -> None:
        """Delete a bot of a player.

        Raises:
            Refusal: as `unknown_bot`.
        """
        if bot not in (await self.load(player)).bots:
            raise Refusal("unknown_bot")
        await self.delete(PlayerId(bot))

    # Signing in

    async def link_device(self, player: PlayerId, epoch: int) -> DeviceCode:
        """Return a code that signs another device in, once; an earlier one is void.

        Args:
            player: the player.
            epoch: that of the session that asks; the code holds for nobody if it is over.

        Raises:
            UnavailableError: the code holds for nobody.
        """
        code, now = random_code(DEVICE_LENGTH), self._clock.now()
        await self._store.offer_device(player, _digest(code), now, epoch)
        return DeviceCode(shown_code(code), now + DEVICE_LIFE_S * 1000)

    async def sign_in(self, code: str) -> str:
        """Return the token of the player whose recovery or device code it is.

        The token is of the epoch in which the code counted, so whoever signs out everywhere at the
        same moment, or removes the code, voids it.

        Args:
            code: as `parse_code` returns it.

        Raises:
            Refusal: as `bad_code`, if it is nobody's, or not any more.
            UnavailableError: the store does not answer; a device code may be used up.
        """
        digest, now = _digest(code), self._clock.now()
        if not is_recovery(code):
            found = await self._store.take_device(digest, now)
            if found is None:
                raise Refusal("bad_code")
            return await self._identity.token(*found)
        player = await self._store.code_owner(digest)
        if player is None:
            raise Refusal("bad_code")
        return await self._identity.token(player, await self._use_code(player, digest))

    async def show_code(self, player: PlayerId, code: str) -> None:
        """Let a player show that the recovery code is known.

        Args:
            player: the player.
            code: as `parse_code` returns it.

        Raises:
            Refusal: as `bad_code`, if it is not the player's.
        """
        await self._use_code(player, _digest(code))

    async def _use_code(self, player: PlayerId, digest: str) -> int:
        epoch = await self._store.use_code(player, digest, self._clock.now())
        if epoch is None:
            raise Refusal("bad_code")
        return epoch

    async def passkey(self, credential: str) -> tuple[Passkey, Account]:
        """Return a passkey by its credential id (base64url), and whose it is.

        Raises:
            Refusal: as `bad_passkey`, if nobody has it.
        """
        found = await self._store.passkey(credential)
        if found is None:
            raise Refusal("bad_passkey")
        return found

    async def use_passkey(self, passkey: Passkey, count: int) -> None:
        """Note that a passkey was verified, with this new counter.

        Raises:
            Refusal: as `bad_passkey`, if the counter was used meanwhile, or the passkey removed.
        """
        if not await self._store.use_passkey(passkey, count, self._clock.now()):
            raise Refusal("bad_passkey")

    async def token(self, account: Account) -> str:
        """Return the token of a player in the epoch that the account was read in."""
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
        """Void all tokens of a player, and close all sessions on all nodes but one of this node.

        Credentials are removed at the same moment, so nothing that anybody had by them is left.

        Args:
            player: the player.
            session: the id of the session that stays.
            epoch: that of the session.
            passkeys: the passkeys that are removed.
            recovery: whether the recovery code is removed.

        Returns:
            The player's new token, and its epoch.

        Raises:
            Refusal: as `last_credential`, if none were left; as `bad_token`, if the player has been
                deleted, or has signed out everywhere elsewhere.
            UnavailableError: the tokens may be void or not.
        """
        stays = self._sessions.name_of(session)
        begun, found = await self._store.sign_out(player, stays, epoch, passkeys, recovery=recovery)
        token = await self._identity.token(player, begun)
        self._sessions.sign_out(player, begun, session, found)
        return token, begun

    async def export(self, player: PlayerId) -> str:
        """Return all that is stored under a player, but for secrets, as JSON."""
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
        await release(history.days, history.rounds, history.challenges)
        return msgspec.json.encode(found).decode()

    async def delete(self, player: PlayerId) -> None:
        """Delete a player; results stay where they are, without a name.

        Raises:
            UnavailableError: the player may be deleted, or in part, or not.
        """
        await self._outbox.submit(Deleted(player, self._clock.now()))


async def _rows(
    name: str, results: Mapping[tuple[str, K], DayResult | RoundResult | ChallengeResult]
) -> Raw:
    """Return results as a list in JSON, made in slices, since there may be some thousands."""
    rows = bytearray(b"[")
    async for (game, key), result in in_slices(results.items(), SLICE):
        rows += msgspec.json.encode({"game": game, name: key, **asdict(result)}) + b","
    rows[-1 if results else 1 :] = b"]"
    return Raw(rows)


def parse_typed(text: str) -> str:
    """Return the code that somebody typed.

    Raises:
        Refusal: as `bad_code`, if it cannot be one.
    """
    code = parse_code(text)
    if code is None:
        raise Refusal("bad_code")
    return code


def _digest(code: str) -> str:
    return sha256(b"samedeal code\0" + code.encode()).hexdigest()
