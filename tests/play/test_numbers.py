"""The metrics of a node during a race."""

from __future__ import annotations

import asyncio
import urllib.request

import pytest
from prometheus_client.parser import text_string_to_metric_families

from server.app import bind, running_node
from server.base.net.bound_sockets import port_of
from server.settings import Settings
from tests.clients.client import opened
from tests.clients.play import race_of
from tests.conftest import ALONE, SECRET_KEY_FILE

pytestmark = pytest.mark.usefixtures("short_countdown")


def read(port: int) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        text = answer.read().decode()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@ALONE
async def test_sessions_rooms_and_moves_are_counted(redis_url: str) -> None:
    settings = Settings(
        host="127.0.0.1",
        port=0,
        redis=redis_url,
        secret_key_file=SECRET_KEY_FILE,
        metrics_host="127.0.0.1",
        metrics_port=0,
    )
    (bound,) = bind(settings)
    assert bound.metrics is not None
    async with running_node(settings, bound) as port, opened(port) as one, opened(port) as other:
        mine, _ = await race_of(one, other)
        assert (await one.ask("move", attempt=mine["attempt"], seq=2, move="s>w"))["seq"] == 2
        await one.ask("move", attempt=mine["attempt"], seq=3, move="w>s")
        found = await asyncio_read(port_of(bound.metrics))
    assert (found["samedeal_sessions", ()], found["samedeal_rooms", ()]) == (2, 1)
    assert found["samedeal_attempts", ()] == 2
    assert found["samedeal_moves_total", (("game", "robert"), ("outcome", "played"))] == 1
    assert found["samedeal_refusals_total", (("code", "illegal_move"),)] == 1
    assert found["samedeal_move_seconds_count", ()] == 1
    assert found["samedeal_batch_commands_count", ()] > 0
    assert found["samedeal_queue_length", (("queue", "redis"),)] == pytest.approx(0)
    assert found["samedeal_outbox_age_seconds", ()] == pytest.approx(0)


async def asyncio_read(port: int) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Return the same samples, read in a thread next to the node's event loop."""
    return await asyncio.to_thread(read, port)
