"""Players' names, held by this node: read once, and kept up to date by what is published."""

from __future__ import annotations

from collections.abc import Iterable

from server.core import topics
from server.core.ids import PlayerId
from server.core.names import Profile
from server.service import bus_messages
from server.service.bus_messages import Renamed
from server.store.bus import Bus
from server.store.players import Players

MOST_KNOWN = 50_000
"""Profiles held at once, some 200 bytes each; the one that was read first is forgotten first."""


class Profiles:
    """A cache of players' profiles. A change of name is published to every node."""

    def __init__(self, players: Players, bus: Bus) -> None:
        self._players = players
        self._bus = bus
        self._known: dict[PlayerId, Profile] = {}
        self._unheard: dict[PlayerId, list[str]] = {}
        bus.subscribe(topics.NAMES, self._receive)

    def known(self, players: Iterable[PlayerId]) -> dict[PlayerId, Profile] | None:
        """Return the profiles of players, or `None` if one of them has to be read."""
        try:
            return {player: self._known[player] for player in players}
        except KeyError:
            return None

    async def find(self, players: Iterable[PlayerId]) -> dict[PlayerId, Profile]:
        """Return the profiles of players; those that are not held are read in one round trip.

        Raises:
            UnavailableError: the store does not answer.
        """
        wanted = set(players)
        found = {player: self._known[player] for player in wanted if player in self._known}
        missing = wanted - found.keys()
        read = await self._players.profiles(missing) if missing else {}
        for player, profile in read.items():
            # It may have been renamed while it was read.
            found[player] = self._known.get(player, profile)
            self.keep(found[player])
        return found

    def keep(self, profile: Profile) -> None:
        """Hold a profile that is known to be right."""
        if len(self._known) >= MOST_KNOWN and profile.id not in self._known:
            del self._known[next(iter(self._known))]
        self._known[profile.id] = profile

    def rename(self, profile: Profile) -> None:
        """Hold the new profile of a player, and let all nodes know."""
        self.keep(profile)
        self._unheard.setdefault(profile.id, []).append(profile.name)
        self._bus.publish(topics.NAMES, bus_messages.encode(Renamed(profile.id, profile.name)))

    def _receive(self, payload: bytes | None) -> None:
        """Take a change of name; if some may have been missed, forget all profiles.

        All nodes hear all changes in one order. What comes before a change of this node that it
        has not heard yet is older than that.
        """
        renamed = bus_messages.renamed(payload)
        if renamed is None:
            self._known.clear()
            self._unheard.clear()
            return
        unheard = self._unheard.get(renamed.player)
        if unheard is None:
            self.keep(Profile(renamed.player, renamed.name))
        elif unheard[0] == renamed.name:
            del unheard[0]
            if not unheard:
                del self._unheard[renamed.player]
