"""Run `deploy/NATIVE.md` word by word, from the build to a restore and an upgrade."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.client import Client, opened
from tests.clients.play import race_of, resign
from tests.deploy.recipes.documents import blocks
from tests.deploy.recipes.machine import Machine
from tests.processes import free_port

pytestmark = pytest.mark.proxy

DOCUMENT = "deploy/NATIVE.md"
CLIENT = "127.0.0.2"
"""A player's address, different from the proxy's."""


@pytest.fixture
def ports() -> dict[str, int]:
    """Return ports in place of the document's: the site, Redis, and three nodes."""
    return {name: free_port() for name in ("443", "6379", "8001", "8002", "8003")}


@pytest.fixture
def machine(ports: dict[str, int], data: Path) -> Iterator[Machine]:
    site = f"http://localhost:{ports['443']}"
    machine = Machine(
        data,
        {
            "SAMEDEAL_SITE=play.example.org": f"SAMEDEAL_SITE={site}",
            "https://play.example.org": site,
            # Send snapshots immediately instead of after five seconds.
            "bind 127.0.0.1": f"bind 127.0.0.1\nport {ports['6379']}\nrepl-diskless-sync-delay 0",
            **{name: str(port) for name, port in ports.items() if name != "443"},
            # At this level, the log has addresses.
            "SAMEDEAL_TRUSTED_PROXIES": "SAMEDEAL_LOG_LEVEL=debug\nSAMEDEAL_TRUSTED_PROXIES",
            "/bin/samedeal certify": "/bin/samedeal certify --game robert --count 1 --workers 1",
            # As in the wheel's own tests, without a network.
            "pip wheel": "pip wheel --no-build-isolation",
            # The test environment already has the locked packages.
            "/opt/samedeal/venv/bin/pip install --require-hashes --requirement": (
                f"cp {data}/dependencies.pth /opt/samedeal/venv/lib/python3*/site-packages #"
            ),
        },
    )
    try:
        yield machine
    finally:
        machine.close()


def carry_out(machine: Machine, heading: str) -> list[str]:
    return [machine.run(block) for block in blocks(DOCUMENT, heading)]


def logged(machine: Machine, unit: str) -> list[dict[str, object]]:
    lines = machine.services[unit].lines
    return [json.loads(line) for line in lines if line.startswith("{")]


async def play(port: int) -> None:
    here: dict[str, Any] = {"host": "127.0.0.1", "local_addr": (CLIENT, 0)}
    async with opened(port, **here) as one, opened(port, **here) as other:
        for client, attempt in zip((one, other), await race_of(one, other), strict=True):
            assert (await resign(client, attempt))["type"] == "ended"
        await play_daily(one)


async def play_daily(client: Client) -> None:
    daily = await client.ask("daily.open", game="robert")
    moved = await client.ask("move", attempt=daily["attempt"], seq=2, move="s>w")
    assert moved["seq"] == 2


async def come_and_play(port: int) -> None:
    async with opened(port, host="127.0.0.1") as client:
        await client.hello()
        await play_daily(client)


async def test_the_document_word_by_word(machine: Machine, ports: dict[str, int]) -> None:
    def steps(heading: str) -> list[str]:
        return carry_out(machine, heading)

    for heading in ("Build", "Install", "Configure"):
        await asyncio.to_thread(steps, heading)
    assert machine.services == {}
    recorded = [" ".join(command) for command in machine.recorded]
    assert "sysctl --system" in recorded
    assert sum(command.startswith("useradd --system") for command in recorded) == 3
    _, looked = await asyncio.to_thread(steps, "Start")
    assert looked.count(f":{ports['8001']}/") == looked.count(f":{ports['8002']}/") == 1
    assert list(machine.services) == [
        "samedeal-store.service", "samedeal@8001.service".replace("8001", str(ports["8001"])),
        f"samedeal@{ports['8002']}.service", "caddy.service",
    ]  # fmt: skip

    await play(ports["443"])
    nodes = [f"samedeal@{ports[name]}.service" for name in ("8001", "8002")]
    lines = [line for unit in nodes for line in logged(machine, unit)]
    handshakes = [line["address"] for line in lines if line["event"] == "handshake"]
    # The nodes trust the proxy, so they log the player's address instead of the proxy's.
    assert set(handshakes) == {CLIENT}
    assert not [line for line in lines if line["event"] == "proxy_not_trusted"]

    _, restored = await asyncio.to_thread(steps, "Back up and restore")
    assert "This store is whole." in restored
    await come_and_play(ports["443"])
    await asyncio.to_thread(steps, "Upgrade")
    await asyncio.to_thread(steps, "One more node")
    assert f"samedeal@{ports['8003']}.service" in machine.services
    await come_and_play(ports["443"])
    backups = machine.root / "var/lib/samedeal-backup"
    assert [sorted(path.name for path in each.iterdir()) for each in backups.iterdir()] == [
        [f"127.0.0.1-{ports['6379']}.rdb", "store.json"]
    ]
