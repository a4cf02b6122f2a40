"""The composition root: creates, connects, starts and stops the parts of a node."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager

import structlog

from server.accounts.store import AccountStore
from server.base.core.refusal import UnsuitableError
from server.base.journals.store import JournalStore
from server.base.net import bound_sockets
from server.base.net.addresses import Proxies
from server.base.net.admission import Admission
from server.base.net.budgets import Budgets
from server.base.net.files import most_connections
from server.base.net.listener import Listener
from server.base.net.load import Load
from server.base.net.origins import Origins
from server.base.net.turns import Turns
from server.base.nodes.format_store import FormatStore, check_format
from server.base.nodes.held_store import HeldStore
from server.base.nodes.nodes_store import NodeStore
from server.base.nodes.registration import Registration
from server.base.outbound.sender import Sender
from server.base.outbound.store import PostStore
from server.base.outbox.store import OutboxStore
from server.base.outbox.sweepers_store import SweeperStore
from server.base.quotas.store import QuotaStore
from server.base.redis.bus import Bus
from server.base.redis.clock import RedisClock
from server.base.redis.connection import connect
from server.base.redis.database import Database
from server.base.redis.embedded import embedded_redis, shared_redis
from server.base.redis.memory_store import MemoryStore
from server.base.redis.probe import Probe
from server.base.redis.scans import ScanStore
from server.base.seals.core.secret_keys import SecretKeys
from server.base.seals.key_file import own_keys, read_keys
from server.base.seals.keyring_store import KeyringStore
from server.base.web.api.app import Api
from server.base.web.headers import SecurityHeaders
from server.base.web.http import FIRST_SEGMENTS, Health, PlayersApp, metrics_app
from server.base.web.pages import Pages
from server.base.web.previews import Previews
from server.base.web.rooted import at_root
from server.base.wire.sockets import Sockets
from server.base.work.background import Background
from server.base.work.clock import Clock
from server.base.work.metrics import LagMeter, Metrics
from server.challenges.store import ChallengeStore
from server.circles.store import CircleStore
from server.cli.logs import errors
from server.dailies.store import StartStore
from server.dailies.trimmed_days_store import TrimmedDayStore
from server.deals.pool_store import PoolStore
from server.deals.store import DealStore
from server.front import Front, previews_of
from server.handlers import handlers_of
from server.lobby.quick_matches_store import QuickMatchStore
from server.lobby.store import OpenRoomStore
from server.moderation.cases_store import CaseStore
from server.moderation.operator_list import OperatorList
from server.moderation.reports_store import ReportStore
from server.moderation.store import ModerationStore
from server.moderation.suspicions_store import SuspicionStore
from server.notifications.push_key import PushKey, read_push_key
from server.notifications.store import SubscriberStore
from server.players.name_lists import name_lists
from server.players.store import PlayerStore
from server.results.daily_sets_store import DailySetStore
from server.results.histories_store import HistoryStore
from server.results.leaderboards_store import LeaderboardStore
from server.results.met_store import MetStore
from server.results.repaired_days_store import RepairedDayStore
from server.rooms.race_records_store import RaceRecordStore
from server.rooms.store import RoomStore
from server.routes import ROUTES
from server.settings import Settings
from server.stores import Store
from server.wings import Services

ARCHIVE = "archive"
"""Folder of the archive in the node's data directory."""

log = structlog.get_logger()


@asynccontextmanager
async def running_node(  # noqa: PLR0915 - the parts of a node
    settings: Settings,
    bound: bound_sockets.NodePorts | None = None,
    node: str | None = None,
    on_failure: Callable[[], None] | None = None,
) -> AsyncIterator[int]:
    """Run a node until the context is left; yield the players' port.

    Args:
        settings: the node's settings.
        bound: sockets already bound, which replace the hosts and ports in `settings`.
        node: the node's id (see `Registration`), or `None` for a new one.
        on_failure: called when background work has failed and the context must be left.

    Raises:
        BackgroundError: background work has failed; raised after the shutdown.
        EmbeddedServerError: the embedded Redis cannot be started.
        OSError: a port cannot be bound, or a file of names or of operators cannot be read.
        ValueError: the URL of Redis, the public URL, a trusted proxy, or a file of names or of
            operators is invalid.
        UnsuitableError: this version of Redis is too old, a newer release has written to it, or the
            file of secret keys is missing or is not the one that seals the store.
    """
    background = Background(on_failure)
    async with AsyncExitStack() as stack:
        if bound is None:
            # A port in use is the most common error, so check it first. But do not listen before
            # the node is ready, so that a proxy uses another one.
            bind(settings)[0].close()
        metrics = Metrics(log_errors=errors)
        lag = LagMeter(metrics.lag)
        stack.callback(lag.close)
        database, secret_keys = await _database(settings, metrics, stack)
        clock = RedisClock(database)
        await clock.sample()
        store = redis_store(database, clock, secret_keys)

        bus = Bus(database)
        registration = Registration(store.nodes, store.held, node)
        services = Services(
            store,
            bus,
            registration,
            metrics,
            background,
            archive=settings.data / ARCHIVE,
            ranked_starts=settings.ranked_starts,
            daily_games=settings.daily_games,
            certify=settings.certify,
            address_players=settings.address_players,
            keep_days=settings.keep_days,
            names=name_lists(settings.reserved_names, settings.offensive_names),
            operator_list=None if settings.operators is None else OperatorList(settings.operators),
            sender=Sender(local=settings.local_posts),
            webhooks=settings.webhooks,
            push_key=push_key_of(settings),
            page=settings.public_url,
        )
        front = Front(services)
        hub = front.hub
        metrics.sessions = lambda: hub.size
        await services.prepare()
        stack.push_async_callback(services.close)
        probe = Probe(database)
        await probe.once()
        for each in (bus, clock, probe):
            each.run_in(background)
        stack.push_async_callback(front.finish)
        stack.push_async_callback(background.close)
        background.start()
        load = Load(lambda: lag.recent, services.memory.has_room)
        lag.measured = load.log_changes
        handlers = handlers_of(services, front, load)
        proxies = Proxies(settings.trusted_proxies)
        budgets = Budgets(settings.address_players, metrics.limited)
        metrics.budgets["players"] = lambda: budgets.players
        metrics.budgets["addresses"] = lambda: budgets.addresses
        previews = previews_of(services, load, budgets)
        stack.push_async_callback(previews.close)

        health = _health(background, probe, services, database)
        metrics.ready = health.is_ready
        origins = Origins(settings.public_url, settings.hosts, settings.origins, proxies)
        turns = Turns()
        sockets = Sockets(
            handlers, hub.remove_session, load, metrics, proxies, budgets, origins, turns
        )
        api = Api(ROUTES, services, load, metrics.requests, proxies=proxies, budgets=budgets)
        stack.push_async_callback(api.close)
        pages = _pages(settings, previews, proxies, origins)
        own = FIRST_SEGMENTS | pages.first_segments
        app = at_root(PlayersApp(pages, api, origins, health), origins, own)
        admission = Admission(budgets, proxies, most_connections(settings.max_connections))
        listener = Listener(SecurityHeaders(app, origins), sockets, admission, turns)
        metrics.connections = lambda: listener.connections
        bound = bound or bind(settings)[0]
        port = bound_sockets.port_of(bound.players)
        await listener.open(bound.players)
        stack.callback(hub.close)
        stack.push_async_callback(listener.close)
        registration.port = port
        if bound.metrics is not None:
            await stack.enter_async_context(_serving_metrics(metrics, origins, bound.metrics))
        registration.run_in(background)
        log.info("listening", name=registration.name, host=settings.host, port=port)
        yield port
        log.info("stopping")
    log.info("stopped")
    background.raise_failure()


def redis_store(database: Database, clock: Clock, secret_keys: SecretKeys) -> Store:
    """Return the store on a connection to Redis."""
    return Store(
        clock=clock,
        formats=FormatStore(database),
        secret_keys=secret_keys,
        keyrings=KeyringStore(database),
        journals=JournalStore(database),
        deals=DealStore(database, secret_keys),
        pools=PoolStore(database, secret_keys),
        quotas=QuotaStore(database),
        players=PlayerStore(database),
        subscribers=SubscriberStore(database),
        accounts=AccountStore(database),
        leaderboards=LeaderboardStore(database),
        histories=HistoryStore(database),
        met=MetStore(database),
        repaired_days=RepairedDayStore(database),
        daily_sets=DailySetStore(database),
        race_records=RaceRecordStore(database),
        outboxes=OutboxStore(database),
        posts=PostStore(database),
        rooms=RoomStore(database),
        open_rooms=OpenRoomStore(database),
        quick_matches=QuickMatchStore(database),
        challenges=ChallengeStore(database),
        circles=CircleStore(database),
        moderation=ModerationStore(database),
        starts=StartStore(database),
        trimmed=TrimmedDayStore(database),
        suspicions=SuspicionStore(database),
        reports=ReportStore(database),
        cases=CaseStore(database),
        scans=ScanStore(database),
        memory=MemoryStore(database),
        nodes=NodeStore(database),
        held=HeldStore(database),
        sweepers=SweeperStore(database),
    )


@asynccontextmanager
async def services_alone(settings: Settings) -> AsyncIterator[Services]:
    """Yield the services of a node without sessions or sweeper, for an operator.

    They may be used alongside nodes on the same store. An embedded Redis is shared with the node
    running on the same data; if there is none, it runs within this block.

    Raises:
        EmbeddedServerError: the embedded Redis cannot be used.
        ValueError: the URL of Redis is invalid.
        UnsuitableError: as for `running_node`.
    """
    async with AsyncExitStack() as stack:
        metrics = Metrics()
        database, secret_keys = await _database(settings, metrics, stack, shared=True)
        clock = RedisClock(database)
        await clock.sample()
        store = redis_store(database, clock, secret_keys)
        registration = Registration(store.nodes, store.held)
        for name in await store.nodes.alive(clock.now()):
            registration.note_alive(name.rpartition("#")[2])
        services = Services(store, Bus(database), registration, metrics, Background())
        stack.push_async_callback(services.close)
        await services.keyring.load()
        yield services


async def _database(
    settings: Settings, metrics: Metrics, stack: AsyncExitStack, *, shared: bool = False
) -> tuple[Database, SecretKeys]:
    """Connect to Redis, starting an embedded one if needed, and read the secret keys.

    The stack closes the database. If `shared`, the embedded Redis may belong to another process.
    Raises the errors of `running_node`.
    """
    address = settings.redis
    secret_keys = None if address is None else secret_keys_of(settings)
    if address is None:
        embedded = (
            shared_redis(settings.data)
            if shared
            else embedded_redis(settings.data, settings.redis_memory)
        )
        address = await stack.enter_async_context(embedded)
    database = Database(connect(address), settings.replica_acks, metrics)
    stack.push_async_callback(database.close)
    await database.check()
    await check_format(database)
    # Starting an embedded Redis has created the directory.
    return database, secret_keys or secret_keys_of(settings)


def secret_keys_of(settings: Settings) -> SecretKeys:
    """Return a node's secret keys, creating the file for an embedded Redis if needed.

    Raises:
        UnsuitableError: no file is given for an external Redis, or it cannot be read.
        OSError: the file cannot be created.
    """
    if settings.secret_key_file is not None:
        return read_keys(settings.secret_key_file)
    if settings.redis is None:
        return read_keys(own_keys(settings.data))
    raise UnsuitableError(
        "With --redis, the server needs a file of secret keys, which seal the secrets in Redis: "
        "create one with `samedeal keygen FILE`, and pass --secret-key-file FILE to all nodes."
    )


def push_key_of(settings: Settings) -> PushKey | None:
    """Return the key that identifies a node to push services, or `None` without one.

    Raises:
        UnsuitableError: the key cannot be read, or the operator's contact is missing.
    """
    if settings.push_key_file is None:
        return None
    return read_push_key(settings.push_key_file, settings.push_contact or settings.public_url)


def _pages(settings: Settings, previews: Previews, proxies: Proxies, origins: Origins) -> Pages:
    """Read the built page into memory."""
    pages = Pages(
        settings.page, previews, proxies, origins, operators=settings.operators is not None
    )
    if not pages.built:
        log.warning("page_missing", folder=str(settings.page))
    return pages


@asynccontextmanager
async def _serving_metrics(
    metrics: Metrics, origins: Origins, bound: bound_sockets.Bound
) -> AsyncIterator[None]:
    """Serve a node's metrics to Prometheus until the context is left."""
    listener = Listener(metrics_app(metrics, origins))
    await listener.open(bound)
    log.info("metrics_listening", port=bound_sockets.port_of(bound))
    yield
    await listener.close()


def bind(settings: Settings, count: int = 1) -> list[bound_sockets.NodePorts]:
    """Bind the sockets of `count` nodes with these settings.

    All nodes share the players' port. For Prometheus, the first node uses `metrics_port` and each
    further one the next port; if `metrics_port` is 0, each uses a free port.

    Returns:
        The sockets of each node.

    Raises:
        OSError: a port cannot be bound.
    """
    with ExitStack() as stack:

        def bound(host: str, port: int, number: int) -> list[bound_sockets.Bound]:
            each = bound_sockets.bind(host, port, number)
            for sockets in each:
                stack.callback(bound_sockets.close, sockets)
            return each

        # Metrics ports come first, so that a free port for players (0) cannot take one.
        metrics_ports: list[bound_sockets.Bound | None] = [None] * count
        if settings.metrics_port is not None:
            first, host = settings.metrics_port, settings.metrics_host
            # Port 0 means a free port for each node.
            metrics_ports = [bound(host, first and first + n, 1)[0] for n in range(count)]
        players = bound(settings.host, settings.port, count)
        stack.pop_all()
    return list(map(bound_sockets.NodePorts, players, metrics_ports))


async def alive_nodes(url: str) -> list[str]:
    """Return the sorted names of the live nodes registered in the Redis at `url`.

    Raises:
        ValueError: the URL is invalid.
    """
    database = Database(connect(url))
    try:
        clock = RedisClock(database)
        await clock.sample()
        return await NodeStore(database).alive(clock.now())
    finally:
        await database.close()


def _health(background: Background, probe: Probe, services: Services, database: Database) -> Health:
    """Return a node's health checks.

    Args:
        background: background work; once any of it fails, the node shuts down.
        probe: whether Redis accepts writes.
        services: know whether the store was replaced since the start.
        database: knows its losses.
    """

    def is_live() -> bool:
        return background.failure is None

    def is_ready() -> bool:
        # Overload does not count: it would move to other nodes, which would fail as well.
        return is_live() and probe.succeeds() and not services.keyring.replaced

    return Health(is_live, is_ready, lambda: database.losses.text)
