"""The services of `base/`, which every wing builds on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from server.base.journals.check import JournalCheck
from server.base.journals.findings import Check
from server.base.journals.followed import Sources
from server.base.journals.store import JournalStore
from server.base.nodes.departures import Departures
from server.base.nodes.format import Format
from server.base.nodes.format_store import FormatStore
from server.base.nodes.held_store import HeldStore
from server.base.nodes.node_bus import NodeBus
from server.base.nodes.nodes_store import NodeStore
from server.base.nodes.registration import Registration
from server.base.nodes.store_memory import StoreMemory
from server.base.outbound.posts import Posts
from server.base.outbound.sender import Sender
from server.base.outbound.store import PostStore
from server.base.outbound.webhooks import Webhooks
from server.base.outbox.outbox import Outbox
from server.base.outbox.store import OutboxStore
from server.base.outbox.sweeper import Sweeper
from server.base.outbox.sweepers_store import SweeperStore
from server.base.quotas.quotas import Quotas
from server.base.quotas.store import QuotaStore
from server.base.redis.bus import Bus
from server.base.redis.database import Database
from server.base.redis.memory_store import MemoryStore
from server.base.redis.scans import ScanStore
from server.base.seals.core.secret_keys import SecretKeys
from server.base.seals.keyring import Keyring
from server.base.seals.keyring_store import KeyringStore
from server.base.web.previews import Screen
from server.base.work.background import Background
from server.base.work.clock import Clock
from server.base.work.metrics import Metrics
from server.settings import Settings


@dataclass(frozen=True, slots=True)
class Setup:
    """The parts that a node's services are constructed from.

    Attributes:
        node: the node's id (see `Registration`), or `None` for a new one.
        folder: directory for the files that the node writes; without it, it writes none.
    """

    database: Database
    secret_keys: SecretKeys
    clock: Clock
    bus: Bus
    metrics: Metrics
    background: Background
    settings: Settings
    node: str | None = None
    folder: Path | None = None


class Foundation:
    """The stores and services of `base/`.

    Each wing extends it, directly or through the wings that it depends on, by its own stores,
    services and feeds, as attributes. A service receives the services that it uses, and itself
    subscribes to their signals and registers its background work.

    Attributes:
        screens: the screens of the page with their own link previews, by the first segment of
            their paths.
        checks: the checks of `samedeal verify-store`, by kind of key.
        lasting: the kinds of keys nearly all of which a restored store must contain, each with
            whether only players create them.
        disabled: the modules of messages that this node does not know.
    """

    def __init__(self, setup: Setup) -> None:
        database, settings = setup.database, setup.settings
        self.clock = clock = setup.clock
        self.metrics = metrics = setup.metrics
        self.background = background = setup.background
        self.bus = setup.bus
        self.screens: dict[str, Screen] = {}
        self.checks: dict[str, Check] = {}
        self.lasting: dict[str, bool] = {}
        self.disabled: set[ModuleType] = set()
        self.secret_keys = setup.secret_keys
        self.journal_store = JournalStore(database)
        self.node_store = NodeStore(database)
        self.held_store = HeldStore(database)
        self.outbox_store = OutboxStore(database)
        self.scan_store = ScanStore(database)
        self.format_store = FormatStore(database)
        self.memory_store = MemoryStore(database)
        self.quota_store = QuotaStore(database)
        self.post_store = PostStore(database)
        self.sweeper_store = SweeperStore(database)
        self.registration = Registration(self.node_store, self.held_store, setup.node)
        self.sources = Sources(
            self.journal_store, clock, self.bus, self.registration.changed, background
        )
        self.node_bus = NodeBus(self.bus, self.registration.id)
        self.departures = Departures(self.held_store, self.registration, background)
        self.format = Format(self.format_store, self.node_store, clock, background)
        self.keyring_store = KeyringStore(database)
        self.keyring = Keyring(self.keyring_store, self.secret_keys, clock, background)
        metrics.store_replaced = lambda: self.keyring.replaced
        self.memory = StoreMemory(self.memory_store, metrics, background)
        self.quotas = Quotas(
            self.quota_store,
            self.keyring,
            clock,
            self.memory,
            background,
            players=settings.address_players,
            keep_days=settings.keep_days,
            limited=metrics.limited,
        )
        self.outbox = Outbox(self.outbox_store, background)
        metrics.queues["finishes"] = self.outbox.queue.qsize
        sender = Sender(local=settings.local_posts)
        self.posts = Posts(
            self.post_store, self.outbox, sender, clock, background=background, sent=metrics.posts
        )
        self.webhooks = Webhooks(
            self.posts, self.secret_keys, is_on=settings.webhooks, local=sender.is_local
        )
        self.journal_check = JournalCheck(self.journal_store, background)
        self.sweeper = Sweeper(
            self.outbox,
            clock,
            outboxes=self.outbox_store,
            sweepers=self.sweeper_store,
            journals=self.journal_store,
            sweeps=metrics.sweeps,
            background=background,
        )
        metrics.outbox_age = self.sweeper.age

    async def prepare(self) -> None:
        """Load what the node needs before it accepts connections.

        Raises:
            UnsuitableError: the file of secret keys lacks one that the store needs.
        """
        await self.format.refresh()
        await self.keyring.refresh()

    async def close(self) -> None:
        """Stop all work other than background work, and wait for what is in flight."""
