"""The services of players."""

from __future__ import annotations

from typing import Protocol, TypeAlias

from server.base.core.ids import PlayerId
from server.foundation import Foundation, Setup
from server.players.address_hash import AddressHashes
from server.players.hub import Hub
from server.players.identity import Identity
from server.players.name_lists import name_lists
from server.players.profiles import Profiles
from server.players.sessions import Sessions
from server.players.store import PlayerStore
from server.request import C_co, NodeRequest


class Credentials(Protocol):
    """The expiry of players' credentials."""

    async def extend(self, player: PlayerId) -> None:
        """Extend it if the player has no results yet."""

    async def keep_for_good(self, player: PlayerId) -> None:
        """Remove it once the player has results."""


class PlayerServices(Foundation):
    """Identity, names, and sessions.

    Attributes:
        account_store: provided by the wing of accounts.
        hub: sessions, by id and by player.
    """

    account_store: Credentials

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        settings = setup.settings
        self.player_store = PlayerStore(setup.database)
        self.profiles = Profiles(self.player_store, self.bus)
        self.address_hashes = AddressHashes(self.keyring)
        self.identity = Identity(
            self.player_store,
            self.clock,
            self.profiles,
            self.keyring,
            name_lists(settings.reserved_names, settings.offensive_names),
            extend=lambda player: self.account_store.extend(player),  # noqa: PLW0108 - set later
        )
        self.sessions = Sessions(
            self.player_store,
            self.node_bus,
            self.registration,
            self.background,
            held=self.held_store,
            clock=self.clock,
        )
        self.hub = Hub(self.sessions, self.quotas, self.background)
        self.metrics.sessions = lambda: self.hub.size
        self.lasting["player"] = True


Request: TypeAlias = NodeRequest[C_co, PlayerServices]
"""A command and the services that execute it."""
