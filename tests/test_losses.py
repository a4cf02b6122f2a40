"""A store that returns without acknowledged data under a running node."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tests.base.web.test_pages import fetch
from tests.clients.client import Client, opened
from tests.conftest import SECRET_KEY_FILE
from tests.processes import Running, free_port, running
from tests.redis_servers import Server, until
from tests.redis_users import as_node
from tests.test_metrics import Samples, samples


class Site(NamedTuple):
    """A running node and its ports."""

    node: Running
    port: int
    metrics_port: int

    def ready(self) -> tuple[int, str]:
        """Return the status and text of the readiness check."""
        return self._get(self.port, "/health/ready")

    def metrics(self) -> Samples:
        """Return the node's metrics."""
        return samples(self._get(self.metrics_port, "/metrics")[1])

    def lost(self) -> tuple[float, float, float]:
        """Return the seconds, journals and entries counted as lost by the node."""
        found = self.metrics()
        seconds, journals, entries = (
            found[f"samedeal_store_lost_{what}_total", frozenset()]
            for what in ("seconds", "journals", "entries")
        )
        return seconds, journals, entries

    def told(self, event: str) -> list[dict[str, Any]]:
        """Return an event's lines in the node's log."""
        lines = [json.loads(line) for line in self.node.lines if line.startswith("{")]
        return [line for line in lines if line["event"] == event]

    @staticmethod
    def _get(port: int, path: str) -> tuple[int, str]:
        response, body = fetch(port, path)
        return response.status, body.decode().rstrip("\n")


@contextmanager
def site_on(url: str) -> Iterator[Site]:
    """Run a node on a Redis, and yield it once it serves."""
    metrics_port = free_port()
    fixed = ["--host", "127.0.0.1", "--port", "0", "--log-format", "json"]
    own = ["--redis", as_node(url), "--secret-key-file", str(SECRET_KEY_FILE)]
    command = [sys.executable, "-m", "server", "serve", *fixed, *own]
    with running([*command, "--metrics-port", str(metrics_port)], forked=True) as node:
        port = json.loads(node.wait_for('"listening"'))["port"]
        yield Site(node, port, metrics_port)
        assert node.end() == 0


def appended(server: Server) -> Path:
    (found,) = [*server.data.rglob("*.incr.aof"), *server.data.glob("appendonly.aof")]
    return found


async def begin(client: Client, moves: int) -> str:
    """Open a daily, play some moves, and return the attempt's id."""
    await client.hello()
    attempt = str((await client.ask("daily.open", game="robert"))["attempt"])
    await move(client, attempt, *range(2, 2 + moves))
    return attempt


async def move(client: Client, attempt: str, *seqs: int) -> None:
    """Play moves with these numbers."""
    for seq in seqs:
        moved = await client.ask("move", attempt=attempt, seq=seq, move="s>w")
        assert moved["seq"] == seq, moved


async def test_a_lost_tail_is_reported_by_log_metrics_and_readiness(server: Server) -> None:
    with site_on(server.url) as site:
        async with opened(site.port) as client:
            attempt = await begin(client, 2)
            size = appended(server).stat().st_size
            await move(client, attempt, *range(4, 9))
            # At least one of the node's marks follows the place of the cut.
            await until_marked(server)
            server.kill()
            os.truncate(appended(server), size)
            assert site.ready()[0] in {200, 503}
            server.start()
            await asyncio.to_thread(site.node.wait_for, '"entries"')
            await asyncio.to_thread(until, lambda: site.lost()[0] > 0)
            await asyncio.to_thread(until, lambda: site.ready()[0] == 200)
            # The client receives the remaining entries, and continues from there.
            assert (await client.ask("attempt.open", attempt=attempt))["seq"] == 3
            await move(client, attempt, 4)
        seconds, journals, entries = site.lost()
        assert (journals, entries) == (1, 5)
        told = site.told("data_lost")
        assert {line["level"] for line in told} == {"error"}
        (lost,) = [line for line in told if "entries" in line]
        assert (lost["journals"], lost["entries"]) == (1, 5)
        assert all(count > 0 for count in site.lost()), "the alert SamedealDataLost fires"
        assert attempt in lost["examples"][0]
        assert sum(line.get("seconds", 0) for line in told) == seconds
        assert site.ready()[1] == (
            "ok The store came back without what it had acknowledged: "
            f"{seconds:.0f} s of writes, 5 entries of 1 journals."
        )
        assert not site.told("store_replaced")


def mark(server: Server) -> float:
    """Return the running node's mark: the time of its last write, by its own clock."""
    with server.client() as client:
        found: Any = client.keys("*:mark:*")
        return float(str(client.get(found[0])))


async def until_marked(server: Server) -> None:
    """Wait until the node has written a mark that it started writing after this call."""
    for _ in range(2):
        await asyncio.to_thread(until, partial(_is_later, server, mark(server)))


def _is_later(server: Server, before: float) -> bool:
    return mark(server) > before


async def test_an_empty_store_is_not_served_until_the_right_one_returns(server: Server) -> None:
    with site_on(server.url) as site:
        async with opened(site.port) as client:
            await begin(client, 1)
        await asyncio.to_thread(until, lambda: site.ready() == (200, "ok"))
        server.kill()
        kept = server.data.with_name(server.data.name + "-kept")
        shutil.move(server.data, kept)
        server.data.mkdir()
        try:
            server.start()
            await asyncio.to_thread(site.node.wait_for, '"store_replaced"')
            await asyncio.to_thread(until, lambda: site.ready()[0] == 503)
            assert "another one than before" in site.ready()[1]
            assert site.metrics()["samedeal_store_replaced", frozenset()] == 1
            assert [line["whole"] for line in site.told("data_lost") if "whole" in line] == [True]
            assert site.lost()[1:] == (1, 2)
            with server.client() as redis:
                assert not redis.exists("keyring"), "no node makes it the store of this site"
            server.kill()
            shutil.rmtree(server.data)
        finally:
            shutil.move(kept, server.data)
        server.start()
        await asyncio.to_thread(site.node.wait_for, '"store_restored"')
        await asyncio.to_thread(until, lambda: site.ready()[0] == 200)
        assert site.metrics()["samedeal_store_replaced", frozenset()] == 0


async def test_a_restart_without_losses_is_not_reported(server: Server) -> None:
    with site_on(server.url) as site:
        async with opened(site.port) as client:
            attempt = await begin(client, 4)
            server.kill()
            server.start()
            await asyncio.to_thread(site.node.wait_for, '"store_back"')
            await until_marked(server)
            await move(client, attempt, 6)
        assert site.lost() == (0, 0, 0)
        assert site.ready() == (200, "ok")
        assert not site.told("data_lost")
