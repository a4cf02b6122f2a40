"""One node, wired: the only place that knows every part."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import structlog

from server import ports
from server.gateway.handlers import Handlers
from server.gateway.http import site
from server.gateway.hub import Hub
from server.gateway.listener import Listener
from server.gateway.pages import Pages
from server.gateway.sockets import Sockets
from server.service.held import run_soon
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
from server.store.journal import SCRIPTS
from server.store.nodes import Nodes

log = structlog.get_logger()


@asynccontextmanager
async def running_node(settings: Settings, bound: ports.Bound | None = None) -> AsyncIterator[int]:
    """Run a node, and yield the port that it listens on; it ends with the context.

    Args:
        settings: the node's settings.
        bound: sockets that listen already, in place of the settings' host and port.

    Raises:
        UnavailableError: Redis does not answer.
        EmbeddedServerError: the embedded Redis cannot be had.
        OSError: the port cannot be had.
        ValueError: the address of Redis is none.
        UnsuitableError: this Redis is too old.
    """
    async with AsyncExitStack() as stack:
        url = settings.redis
        if url is None:
            url = await stack.enter_async_context(embedded_redis(settings.data))
        database = Database(connect(url), settings.replica_acks, SCRIPTS)
        stack.push_async_callback(database.close)
        await database.check()
        clock = Clock(database)
        await clock.sample()
        store = Store.on(database, clock)

        async def wake(topic: str) -> None:
            await hub.wake(topic)

        stop = Stop()
        bus = Bus(database, wake)
        services = Services(store, bus.publish)
        hub = Hub(services, bus.listen, bus.unlisten, stop)
        await services.prepare()
        stack.push_async_callback(services.close)
        stack.push_async_callback(hub.close)
        works = [bus.run(stop), clock.run(stop), services.run(stop), hub.keep_present()]
        tasks = [asyncio.create_task(work) for work in works]
        for task in tasks:
            task.add_done_callback(_tell_failure)
        stack.push_async_callback(_ended, tasks)
        stack.callback(stop.tell)
        pages = Pages(settings.page)
        if not pages.built:
            log.warning("page_missing", folder=str(settings.page))
        handlers = Handlers(services, hub)

        def is_healthy() -> bool:
            # What has ended without having been told to was broken: this node should be replaced.
            return clock.is_fresh() and not any(task.done() for task in tasks)

        sockets = Sockets(handlers, lambda session: run_soon(hub.leave(session)), settings.origins)
        listener = Listener(site(pages, is_healthy), sockets)
        if bound is None:
            (bound,) = ports.bind(settings.host, settings.port)
        port = ports.port_of(bound)
        await listener.open(bound)
        stack.push_async_callback(listener.close)
        registration = Registration(store, port)
        tasks.append(asyncio.create_task(registration.run(stop)))
        tasks[-1].add_done_callback(_tell_failure)
        log.info("listening", node=registration.name, host=settings.host, port=port)
        yield port
        log.info("stopping")
    log.info("stopped")


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
