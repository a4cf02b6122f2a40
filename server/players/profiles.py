"""Players' profiles: a cache that is kept up to date by the bus."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable

from server.base.core.bus_message import encode
from server.base.core.ids import PlayerId
from server.base.redis.bus import Bus
from server.base.work.signal import Signal
from server.players.core.bus import NAMES, NameChanged, Renamed, decode_name
from server.players.core.names import Profile
from server.players.store import PlayerStore

MAX_CACHED = 50_000
"""Profiles that are cached, about 200 bytes each; the oldest is evicted first."""


class Profiles:
    """A cache of players' profiles. A change of name is published to all nodes.

    Attributes:
        changed: emitted with a player whose name an operator has changed, on every node.
    """

    def __init__(self, players: PlayerStore, bus: Bus) -> None:
        self.changed: Signal[PlayerId] = Signal()
        self._players = players
        self._bus = bus
        self._known: dict[PlayerId, Profile] = {}
        self._changes = 0
        """How often names may have changed unseen: what was read meanwhile may be older."""
        self._in_flight: dict[PlayerId, list[str]] = {}
        bus.subscribe(NAMES, self._receive)

    def known(self, players: Iterable[PlayerId]) -> dict[PlayerId, Profile] | None:
        """Return the profiles of players from the cache, or `None` if one of them is not cached."""
        try:
            return {player: self._known[player] for player in players}
        except KeyError:
            return None

    def all(self) -> AsyncIterator[list[Profile]]:
        """Yield all players, for operators. See `PlayerStore.all`."""
        return self._players.all()

    async def owner(self, bot: PlayerId) -> Profile | None:
        """Return the profile of the player who answers for a bot, if there is one."""
        owner = await self._players.owner(bot)
        return None if owner is None else (await self.load([owner]))[owner]

    async def load(
        self, players: Iterable[PlayerId], *, caching: bool = True
    ) -> dict[PlayerId, Profile]:
        """Return the profiles of players; those that are not cached are read in one round trip.

        Args:
            players: their ids; there need not be such players.
            caching: whether to cache what is read.
        """
        wanted = set(players)
        found = {player: self._known[player] for player in wanted if player in self._known}
        missing = wanted - found.keys()
        read: dict[PlayerId, Profile] = {}
        changes = None
        while missing and changes != self._changes:
            changes = self._changes
            read = await self._players.profiles(missing)
        for player, profile in read.items():
            # The player may have been renamed during the read: the cache is newer.
            found[player] = self._known.get(player, profile)
            if caching:
                self.cache(found[player])
        return found

    def cache(self, profile: Profile) -> None:
        """Cache a profile that is known to be current."""
        if len(self._known) >= MAX_CACHED and profile.id not in self._known:
            del self._known[next(iter(self._known))]
        self._known[profile.id] = profile

    def rename(self, profile: Profile) -> None:
        """Cache the new profile of a player, and publish the name to all nodes."""
        self.cache(profile)
        self._in_flight.setdefault(profile.id, []).append(profile.name)
        self._bus.publish(NAMES, encode(Renamed(profile.id, profile.name)))

    def publish_changed(self, player: PlayerId) -> None:
        """Publish that an operator has changed a player's name, which every node reads anew."""
        self._bus.publish(NAMES, encode(NameChanged(player)))

    def _receive(self, payload: bytes | None) -> None:
        """Apply a change of name; clear the cache if messages may have been missed.

        All nodes receive all changes in the same order. Until a change by this node has come back
        to it, the changes that it receives of that player are older, and are ignored.
        """
        renamed = decode_name(payload)
        if renamed is None:
            self._changes += 1
            self._known.clear()
            self._in_flight.clear()
            return
        if isinstance(renamed, NameChanged):
            self._changes += 1
            self._known.pop(renamed.player, None)
            if renamed.player in self._in_flight:
                # What this node has published of a name before will come after this.
                self.publish_changed(renamed.player)
            self.changed.emit(renamed.player)
            return
        in_flight = self._in_flight.get(renamed.player)
        if in_flight is None:
            self.cache(Profile(renamed.player, renamed.name))
        elif in_flight[0] == renamed.name:
            del in_flight[0]
            if not in_flight:
                del self._in_flight[renamed.player]
