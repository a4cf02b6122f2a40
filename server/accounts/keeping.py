"""Apply the outbox effects that keep and delete players.

Each application is idempotent and completes work that a dead node left unfinished.
"""

from __future__ import annotations

from server.accounts.core.effects import Deleted, Kept
from server.accounts.store import AccountStore
from server.base.core.ids import PlayerId
from server.base.work.signal import AsyncSignal
from server.players.core.account import DELETED, DELETED_NAME, Passkey
from server.players.core.names import Profile
from server.players.profiles import Profiles
from server.players.sessions import Sessions
from server.results.histories import Histories


class Keeping:
    """Applies effects about players."""

    def __init__(
        self,
        store: AccountStore,
        histories: Histories,
        profiles: Profiles,
        sessions: Sessions,
    ) -> None:
        self._store = store
        self._histories = histories
        self._profiles = profiles
        self._sessions = sessions
        self.keeping: AsyncSignal[PlayerId, int] = AsyncSignal()
        """Awaited with each player before they are kept, and the time in Unix milliseconds."""
        self.deleted: AsyncSignal[PlayerId] = AsyncSignal()

    async def keep(self, effect: Kept) -> None:
        """Store a recovery code or a passkey, and mark the player's history as kept.

        An effect that no longer applies is dropped: the player has been deleted, has kept or
        removed another credential in the meantime, or has too many passkeys.
        """
        player = effect.player
        await self.keeping.emit(player, effect.at)
        if effect.code is not None:
            await self._store.keep_code(player, effect.code, effect.at)
        if effect.passkey is not None:
            entry = effect.passkey
            passkey = Passkey(entry.id, player, entry.key, entry.count, entry.aaguid)
            await self._store.keep_passkey(
                passkey, effect.at, entry.epoch, confirmed=entry.confirmed
            )
        kept = (await self._store.load(player)).kept
        if kept is not None:
            await self._histories.keep(player, kept)

    async def bots(self, player: PlayerId) -> list[PlayerId]:
        """Return a player's bots."""
        return [*(await self._store.load(player)).bots]

    async def delete(self, effect: Deleted) -> None:
        """Delete a player and the player's bots; results stay, anonymized."""
        player = effect.player
        # From here on, no token or code is valid. The sessions stay listed until they are notified.
        found = await self._store.mark_deleted(player, effect.at)
        account = await self._store.load(player)
        for bot in account.bots:
            await self.delete(Deleted(bot, effect.at))
        if account.bot_of is not None:
            await self._store.disown(account.bot_of, player)
        self._profiles.rename(Profile(player, DELETED_NAME))
        self._sessions.sign_out(player, DELETED, None, found)
        await self._histories.delete(player)
        await self.deleted.emit(player)
        await self._store.forget(player)
