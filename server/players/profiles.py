"""Players' profiles: a cache kept current by the bus."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable

from server.base.core.bus_message import encode
from server.base.core.ids import PlayerId
from server.base.redis.bus import Bus
from server.base.work.signal import Signal
from server.players.core.bus import NAMES, NameChanged, Renamed, decode_name
from server.players.core.names import Profile
from server.players.store import PlayerStore

MAX_CACHED = 50_000  # profiles of about 200 bytes each; the oldest is evicted first


class Profiles:
    """A cache of players' profiles. Name changes are published to all nodes."""

    def __init__(self, players: PlayerStore, bus: Bus) -> None:
        # Emitted on every node with a player whose name an operator has changed.
        self.changed: Signal[PlayerId] = Signal()
        self._players = players
        self._bus = bus
        self._known: dict[PlayerId, Profile] = {}
        # Counts possibly missed name changes; a read that overlaps one may be stale.
        self._changes = 0
        self._in_flight: dict[PlayerId, list[str]] = {}
        bus.subscribe(NAMES, self._receive)

    def known(self, players: Iterable[PlayerId]) -> dict[PlayerId, Profile] | None:
        """Return players' profiles from the cache, or `None` if any is missing."""
        try:
            return {player: self._known[player] for player in players}
        except KeyError:
            return None

    def all(self) -> AsyncIterator[list[Profile]]:
        """Yield all players, for operators; see `PlayerStore.all`."""
        return self._players.all()

    async def owner(self, bot: PlayerId) -> Profile | None:
        """Return the profile of a bot's owner, if it has one."""
        owner = await self._players.owner(bot)
        return None if owner is None else (await self.load([owner]))[owner]

    async def load(
        self, players: Iterable[PlayerId], *, caching: bool = True
    ) -> dict[PlayerId, Profile]:
        """Return the profiles of players, possibly unknown, in one round trip at most.

        Those read are cached if `caching`.
        """
        wanted = set(players)
        found = {player: self._known[player] for player in wanted if player in self._known}
        missing = wanted - found.keys()
        read: dict[PlayerId, Profile] = {}
        changes = None
        # Read again if a change may have been missed during the read.
        while missing and changes != self._changes:
            changes = self._changes
            read = await self._players.profiles(missing)
        for player, profile in read.items():
            # A rename during the read makes the cache newer.
            found[player] = self._known.get(player, profile)
            if caching:
                self.cache(found[player])
        return found

    def cache(self, profile: Profile) -> None:
        """Cache a current profile."""
        if len(self._known) >= MAX_CACHED and profile.id not in self._known:
            # Dicts keep insertion order, so the first key is the oldest.
            del self._known[next(iter(self._known))]
        self._known[profile.id] = profile

    def rename(self, profile: Profile) -> None:
        """Cache a player's new profile, and publish the name to all nodes."""
        self.cache(profile)
        self._in_flight.setdefault(profile.id, []).append(profile.name)
        self._bus.publish(NAMES, encode(Renamed(profile.id, profile.name)))

    def publish_changed(self, player: PlayerId) -> None:
        """Publish an operator's change of a player's name, so that every node reads it."""
        self._bus.publish(NAMES, encode(NameChanged(player)))

    def _receive(self, payload: bytes | None) -> None:
        """Apply a name change; clear the cache if messages may have been missed."""
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
                # This node's own rename, still in flight, arrives after this message.
                self.publish_changed(renamed.player)
            self.changed.emit(renamed.player)
            return
        # All nodes receive all changes in the same order. Until this node's own change has come
        # back, the changes it receives for the same player are older and are ignored.
        in_flight = self._in_flight.get(renamed.player)
        if in_flight is None:
            self.cache(Profile(renamed.player, renamed.name))
        elif in_flight[0] == renamed.name:
            del in_flight[0]
            if not in_flight:
                del self._in_flight[renamed.player]
