"""One node, wired: the only place that knows every part."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import structlog

from server.gateway.handlers import Handlers
from server.gateway.hub import Hub
from server.gateway.listener import Listener
from server.gateway.pages import Pages
from server.service.services import Services
from server.service.store import Store
from server.settings import Settings
from server.stop import Stop
from server.store.bus import Bus
from server.store.clock import Clock
from server.store.connection import connect
from server.store.deals import Deals
from server.store.embedded import embedded_redis
from server.store.journal import Journals
from server.store.leaderboards import Leaderboards
from server.store.outbox import Outboxes
from server.store.players import Players
from server.store.rooms import Rooms

log = structlog.get_logger()


@asynccontextmanager
async def running_node(settings: Settings) -> AsyncIterator[int]:
    """Run a node, and yield the port that it listens on; it ends with the context.

    Raises:
        UnavailableError: Redis does not answer.
        EmbeddedServerError: the embedded Redis cannot be had.
        OSError: the port cannot be had.
        ValueError: the address of Redis is none.
    """
    async with AsyncExitStack() as stack:
        url = settings.redis
        if url is None:
            url = await stack.enter_async_context(embedded_redis(settings.data))
        redis = connect(url)
        stack.push_async_callback(redis.aclose)
        clock = Clock(redis)
        await clock.sample()
        journals = Journals(redis)
        stack.push_async_callback(journals.close)
        store = Store(
            clock,
            journals,
            Deals(redis),
            Players(redis),
            Leaderboards(redis),
            Outboxes(redis),
            Rooms(redis),
        )

        async def wake(topic: str) -> None:
            await hub.wake(topic)

        stop = Stop()
        bus = Bus(redis, wake)
        services = Services(store, bus.publish)
        hub = Hub(services, bus.listen, bus.unlisten, stop)
        await services.prepare()
        stack.push_async_callback(bus.close)
        stack.push_async_callback(services.close)
        stack.push_async_callback(hub.close)
        for work in (bus.run(stop), clock.run(stop), services.run(stop), hub.keep_present()):
            stack.push_async_callback(_ended, asyncio.create_task(work))
        stack.callback(stop.tell)
        pages = Pages(settings.page)
        if not pages.built:
            log.warning("page_missing", folder=str(settings.page))
        handlers = Handlers(services, hub)
        listener = Listener(pages, hub, handlers.answer, clock.is_fresh, settings.origins)
        port = await listener.open(settings.host, settings.port)
        stack.push_async_callback(listener.close)
        log.info("listening", host=settings.host, port=port)
        yield port
        log.info("stopping")
    log.info("stopped")


async def _ended(task: asyncio.Task[None]) -> None:
    """Wait for work that has been told to stop; if it had failed before, say why."""
    try:
        await task
    except Exception:
        log.exception("work_failed")
