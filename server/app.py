"""The composition root: creates, connects, starts and stops the parts of a node."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager

import structlog

from server.base.core.refusal import UnsuitableError
from server.base.net import bound_sockets
from server.base.net.addresses import Proxies
from server.base.net.admission import Admission
from server.base.net.budgets import Budgets
from server.base.net.files import most_connections
from server.base.net.listener import Listener
from server.base.net.load import Load
from server.base.net.origins import Origins
from server.base.net.turns import Turns
from server.base.nodes.format_store import check_format
from server.base.nodes.nodes_store import NodeStore
from server.base.redis.bus import Bus
from server.base.redis.clock import RedisClock
from server.base.redis.connection import connect
from server.base.redis.database import Database
from server.base.redis.embedded import embedded_redis, shared_redis
from server.base.redis.probe import Probe
from server.base.seals.core.secret_keys import SecretKeys
from server.base.seals.key_file import own_keys, read_keys
from server.base.web.api.app import Api
from server.base.web.headers import SecurityHeaders
from server.base.web.http import FIRST_SEGMENTS, Health, PlayersApp, metrics_app
from server.base.web.pages import Pages
from server.base.web.previews import Previews
from server.base.web.rooted import at_root
from server.base.wire.sockets import Sockets
from server.base.work.background import Background
from server.base.work.metrics import LagMeter, Metrics
from server.cli.logs import errors
from server.foundation import Setup
from server.handlers import handlers_of
from server.routes import ROUTES
from server.settings import Settings
from server.wings import Services, services_of

log = structlog.get_logger()


@asynccontextmanager
async def running_node(
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
        clock, bus = RedisClock(database), Bus(database)
        await clock.sample()
        services = services_of(
            Setup(
                *(database, secret_keys, clock, bus, metrics, background, settings),
                node=node,
                folder=settings.data,
            )
        )
        await services.prepare()
        stack.push_async_callback(services.close)
        probe = Probe(database)
        await probe.once()
        for each in (bus, clock, probe):
            each.run_in(background)
        stack.push_async_callback(background.close)
        background.start()
        load = Load(lambda: lag.recent, services.memory.has_room)
        lag.measured = load.log_changes
        origins = Origins(
            settings.public_url, settings.hosts, settings.origins, Proxies(settings.trusted_proxies)
        )
        health = _health(background, probe, services, database)
        metrics.ready = health.is_ready
        listener = _listener(settings, services, load, stack, origins=origins, health=health)
        bound = bound or bind(settings)[0]
        port = bound_sockets.port_of(bound.players)
        await listener.open(bound.players)
        stack.callback(services.hub.close)
        stack.push_async_callback(listener.close)
        services.registration.port = port
        if bound.metrics is not None:
            await stack.enter_async_context(_serving_metrics(metrics, origins, bound.metrics))
        services.registration.run_in(background)
        name = services.registration.name
        log.info("listening", name=name, host=settings.host, port=port)
        yield port
        log.info("stopping")
    log.info("stopped")
    background.raise_failure()


def _listener(
    settings: Settings,
    services: Services,
    load: Load,
    stack: AsyncExitStack,
    *,
    origins: Origins,
    health: Health,
) -> Listener:
    """Return the listener for players, which serves pages, the HTTP interface and sockets."""
    metrics, proxies = services.metrics, Proxies(settings.trusted_proxies)
    budgets = Budgets(settings.address_players, metrics.limited)
    metrics.budgets["players"] = lambda: budgets.players
    metrics.budgets["addresses"] = lambda: budgets.addresses
    previews = Previews(services.screens, load, budgets)
    stack.push_async_callback(previews.close)
    turns = Turns()
    sockets = Sockets(
        handlers_of(services, load),
        services.hub.remove_session,
        *(load, metrics, proxies, budgets, origins, turns),
    )
    api = Api(ROUTES, services, load, metrics.requests, proxies=proxies, budgets=budgets)
    stack.push_async_callback(api.close)
    pages = Pages(
        settings.page, previews, proxies, origins, operators=settings.operators is not None
    )
    if not pages.built:
        log.warning("page_missing", folder=str(settings.page))
    app = at_root(
        PlayersApp(pages, api, origins, health), origins, FIRST_SEGMENTS | pages.first_segments
    )
    admission = Admission(budgets, proxies, most_connections(settings.max_connections))
    listener = Listener(SecurityHeaders(app, origins), sockets, admission, turns)
    metrics.connections = lambda: listener.connections
    return listener


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
        clock, bus, background = RedisClock(database), Bus(database), Background()
        await clock.sample()
        services = services_of(
            Setup(database, secret_keys, clock, bus, metrics, background, Settings())
        )
        for name in await services.node_store.alive(clock.now()):
            services.registration.note_alive(name.rpartition("#")[2])
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
