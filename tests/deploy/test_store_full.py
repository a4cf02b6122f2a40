"""A Redis with a full memory or disk, and the instructions of `deploy/RUNBOOK.md` for it."""

from __future__ import annotations

import asyncio
import json
import re
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from redis.exceptions import ConnectionError as LostConnectionError
from redis.exceptions import ResponseError
from structlog.testing import capture_logs

from server.base.nodes import store_memory
from tests.clients.client import Client, Message, opened
from tests.conftest import node
from tests.processes import PATIENCE, ROOT
from tests.redis_programs import PROGRAMS, default_program
from tests.redis_servers import Server, running_server, until
from tests.test_losses import site_on

RUNBOOK = (ROOT / "deploy/RUNBOOK.md").read_text(encoding="utf-8")

BLOCKS = 2_000
"""The largest size of a file on a disk that fills up soon, in blocks of 512 bytes."""

LIMITED = """\
#!/bin/sh
# A write beyond the limit fails like one to a full disk: with an error, and not with a signal.
trap "" XFSZ
ulimit -S -f "$(cat {limit})"
exec {program} "$@"
"""


def section(heading: str) -> str:
    return RUNBOOK.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def commands(heading: str) -> list[list[str]]:
    """Return the commands of a section of the runbook, without the client's name and options."""
    lines = re.findall(r"^valkey-cli --user admin --askpass (.+)$", section(heading), re.MULTILINE)
    return [line.split() for line in lines]


class Disk:
    """A disk in the view of a server started by `program`."""

    def __init__(self, folder: Path, program: str) -> None:
        folder.mkdir()
        self._limit = folder / "limit"
        self.free()
        script = folder / "server"
        script.write_text(LIMITED.format(limit=self._limit, program=program))
        script.chmod(0o755)
        self.program = str(script)

    def shrink(self) -> None:
        """Limit files to `BLOCKS`, from the next start on."""
        self._limit.write_text(str(BLOCKS))

    def free(self) -> None:
        """Allow files of any size, from the next start on."""
        self._limit.write_text("unlimited")


@contextmanager
def soon_full(folder: Path, program: str, **options: str) -> Iterator[tuple[Server, Disk]]:
    disk = Disk(folder / "disk", program)
    disk.shrink()
    with running_server(program=disk.program, **options) as server:
        yield server, disk


def fill(server: Server) -> None:
    with suppress(LostConnectionError, ResponseError):
        for number in range(BLOCKS):
            server.ask("SET", f"filler:{number}", "x" * 10_000)


async def play(client: Client, attempt: str, seq: int) -> Message:
    return await client.ask("move", attempt=attempt, seq=seq, move="s>w")


async def begun(client: Client) -> str:
    await client.hello()
    attempt: str = (await client.ask("daily.open", game="robert"))["attempt"]
    assert (await play(client, attempt, 2))["seq"] == 2
    return attempt


async def played_again(client: Client, attempt: str, seq: int) -> Message:
    """Resend a move until it is not refused as `unavailable`, as clients do."""
    while (answer := await play(client, attempt, seq)).get("code") == "unavailable":
        await asyncio.sleep(0.1)
    return answer


async def test_a_full_memory_refuses_moves_until_the_limit_is_raised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    show, more = commands("When Redis's memory is full")
    monkeypatch.setattr(store_memory, "CHECK_EVERY", 0.1)
    with running_server() as server, capture_logs() as logs:

        async def told(event: str) -> None:
            async with asyncio.timeout(PATIENCE):
                while event not in {line["event"] for line in logs}:
                    await asyncio.sleep(0.02)

        async with node(server.url) as port, opened(port) as client:
            attempt = await begun(client)
            # Low enough to stay full when Redis shrinks its buffers.
            used = server.ask("INFO", "memory")["used_memory"]
            server.ask("CONFIG", "SET", "maxmemory", used // 2)
            assert (await play(client, attempt, 3))["code"] == "unavailable"
            await told("store_full")
            assert int(server.ask(*show)["maxmemory"]) < 1 << 30
            server.ask(*more)
            assert int(server.ask(*show)["maxmemory"]) == 2 << 30
            assert (await played_again(client, attempt, 3))["seq"] == 3
            await told("store_free")
        assert "store_lost" not in {line["event"] for line in logs}


@PROGRAMS
async def test_a_full_disk_stops_redis_without_losing_acknowledged_moves(
    tmp_path: Path, program: str
) -> None:
    heading = "When Redis's disk is full"
    (message,) = re.findall(r"\(`(Can't recover.+?)`", " ".join(section(heading).split()))
    (rewrite,) = commands(heading)
    with soon_full(tmp_path, program) as (server, disk), site_on(server.url) as site:
        log = server.data / "redis.log"
        async with opened(site.port) as client:
            attempt = await begun(client)
            await asyncio.to_thread(fill, server)
            await asyncio.to_thread(until, lambda: message in log.read_text())
            assert (await play(client, attempt, 3))["code"] == "unavailable"
            await asyncio.to_thread(site.node.wait_for, '"store_lost"')
            await asyncio.to_thread(until, lambda: site.ready()[0] == 503)

            server.kill()
            disk.free()
            server.start()
            await asyncio.to_thread(site.node.wait_for, '"store_back"')
            assert (await played_again(client, attempt, 3))["seq"] == 3
            assert (await client.ask("attempt.open", attempt=attempt))["seq"] == 3
            assert site.told("data_lost") == []
            size = server.ask("INFO", "persistence")["aof_current_size"]
            server.ask(*rewrite)
            await asyncio.to_thread(
                until, lambda: server.ask("INFO", "persistence")["aof_current_size"] < size
            )


def test_on_a_full_disk_redis_stops_at_the_first_write_after_each_start(tmp_path: Path) -> None:
    with soon_full(tmp_path, default_program()) as (server, _):
        fill(server)
        server.kill()
        server.start()
        assert server.ask("DBSIZE") > 0
        with pytest.raises(LostConnectionError):
            server.ask("SET", "one", "x" * 10_000)


async def test_with_everysec_writes_fail_until_the_disk_has_room(tmp_path: Path) -> None:
    with (
        soon_full(tmp_path, default_program(), appendfsync="everysec") as (server, _),
        site_on(server.url) as site,
    ):
        async with opened(site.port) as client:
            attempt = await begun(client)
            await asyncio.to_thread(fill, server)
            assert (await play(client, attempt, 3))["code"] == "unavailable"
            told = json.loads(await asyncio.to_thread(site.node.wait_for, '"writes_refused"'))
            assert "MISCONF" in told["error"]
            pid = server.ask("INFO", "server")["process_id"]
            _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))
            assert (await played_again(client, attempt, 3))["seq"] == 3
