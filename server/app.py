"""One node, wired: the only place that knows every part."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager

import structlog

from server import ports
from server.gateway.handlers import Handlers
from server.gateway.http import numbers, site
from server.gateway.hub import Hub
from server.gateway.listener import Listener
from server.gateway.load import Load
from server.gateway.pages import Pages
from server.gateway.previews import Previews
from server.gateway.sockets import Sockets
from server.metrics import LagMeter, Metrics
from server.service.registration import Registration
from server.service.services import Services
from server.service.store import Store
from server.settings import Settings
from server.stop import Stop
from server.store.bus import Bus
from server.store.clock import Clock
from server.store.connection import connect
from server.store.database import Database
from server.store.embedded import embedded_redis
from server.store.format import check_format
from server.store.journal import SCRIPTS
from server.store.nodes import Nodes

GARBAGE = 50_000
"""Objects that come into being before the collector looks among them for garbage. A move leaves
none; but a few hundred moves on their way together were taken for a thousand new objects that
stay, and looked through again and again: a tenth of a node's time."""

log = structlog.get_logger()


@asynccontextmanager
async def running_node(
    settings: Settings, bound: ports.NodePorts | None = None
) -> AsyncIterator[int]:
    """Run a node, and yield the port that it listens on; it ends with the context.

    Args:
        settings: the node's settings.
        bound: what it listens on if that is bound already, in place of the settings' ports.

    Raises:
        UnavailableError: Redis does not answer.
        EmbeddedServerError: the embedded Redis cannot be had.
        OSError: the port cannot be had.
        ValueError: the address of Redis is none, or the public one.
        UnsuitableError: this Redis is too old, or a newer release has written to it.
    """
    async with AsyncExitStack() as stack:
        metrics = Metrics()
        lag = LagMeter(metrics.lag)
        stack.callback(lag.close)
        database = await _database(settings, metrics, stack)
        clock = Clock(database)
        await clock.sample()
        store = Store.on(database, clock)

        stop = Stop()
        bus = Bus(database)
        registration = Registration(store)
        services = Services(store, bus, registration, metrics)
        hub = Hub(services)
        metrics.sessions = lambda: hub.size
        await services.prepare()
        stack.push_async_callback(services.close)
        works = [bus.run(stop), clock.run(stop), services.run(stop), hub.run(stop)]
        tasks = [asyncio.create_task(work) for work in works]
        for task in tasks:
            task.add_done_callback(_tell_failure)
        stack.push_async_callback(_ended, tasks)
        stack.callback(stop.set)
        load = Load(lambda: lag.recent)
        handlers = Handlers(services, hub, load)
        previews = Previews(services, load)
        stack.push_async_callback(previews.close)

        def is_healthy() -> bool:
            # What has ended without having been told to was broken: this node should be replaced.
            return clock.is_fresh() and not any(task.done() for task in tasks)

        sockets = Sockets(handlers, hub.leave, load, metrics, settings.origins)
        listener = Listener(site(_pages(settings, previews), is_healthy), sockets)
        bound = bound or bind(settings)[0]
        port = ports.port_of(bound.players)
        await listener.open(bound.players)
        stack.callback(hub.close)
        stack.push_async_callback(listener.close)
        registration.port = port
        if bound.metrics is not None:
            await stack.enter_async_context(_served_numbers(metrics, bound.metrics))
        tasks.append(asyncio.create_task(registration.run(stop)))
        tasks[-1].add_done_callback(_tell_failure)
        # What was made until now stays: the collector need not look at it again and again.
        gc.collect()
        gc.freeze()
        gc.set_threshold(GARBAGE)
        log.info("listening", node=registration.name, host=settings.host, port=port)
        yield port
        log.info("stopping")
    log.info("stopped")


async def _database(settings: Settings, metrics: Metrics, stack: AsyncExitStack) -> Database:
    """Return the database of a node, which ends with the stack."""
    url = settings.redis
    if url is None:
        url = await stack.enter_async_context(embedded_redis(settings.data))
    database = Database(connect(url), settings.replica_acks, SCRIPTS, metrics)
    stack.push_async_callback(database.close)
    await database.check()
    await check_format(database)
    return database


def _pages(settings: Settings, previews: Previews) -> Pages:
    """Return the files of the page."""
    pages = Pages(settings.page, previews, settings.public_url)
    if not pages.built:
        log.warning("page_missing", folder=str(settings.page))
    return pages


@asynccontextmanager
async def _served_numbers(metrics: Metrics, bound: ports.Bound) -> AsyncIterator[None]:
    """Serve a node's numbers to Prometheus."""
    listener = Listener(numbers(metrics))
    await listener.open(bound)
    log.info("metrics", port=ports.port_of(bound))
    yield
    await listener.close()


def bind(settings: Settings, count: int = 1) -> list[ports.NodePorts]:
    """Bind what a number of nodes of these settings listen on.

    All share one port for players; each has its own for Prometheus, one after the other.

    Raises:
        OSError: a port cannot be had.
    """
    with ExitStack() as stack:

        def bound(host: str, port: int, number: int) -> list[ports.Bound]:
            each = ports.bind(host, port, number)
            for sockets in each:
                stack.callback(ports.close, sockets)
            return each

        # First what was asked for by its number, so that no free one is taken that is wanted.
        numbers_ports: list[ports.Bound | None] = [None] * count
        if settings.metrics_port is not None:
            first, host = settings.metrics_port, settings.metrics_host
            numbers_ports = [bound(host, first and first + n, 1)[0] for n in range(count)]
        players = bound(settings.host, settings.port, count)
        stack.pop_all()
    return list(map(ports.NodePorts, players, numbers_ports))


async def alive_nodes(url: str) -> list[str]:
    """Return the names of the nodes that use the Redis at an address, in order.

    Raises:
        UnavailableError: Redis does not answer.
        ValueError: the address of Redis is none.
    """
    database = Database(connect(url))
    try:
        clock = Clock(database)
        await clock.sample()
        return await Nodes(database).alive(clock.now())
    finally:
        await database.close()


def _tell_failure(task: asyncio.Task[None]) -> None:
    """Say why work has failed that was to go on."""
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("work_failed", exc_info=error)


async def _ended(tasks: list[asyncio.Task[None]]) -> None:
    """Wait for work that has been told to stop."""
    await asyncio.gather(*tasks, return_exceptions=True)
