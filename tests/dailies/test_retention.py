"""Past days are archived, and later lose their journals."""

from __future__ import annotations

import gzip
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.base.core import days
from server.base.core.quota import KEPT_DAYS, LEAST_DAYS
from server.base.redis.connection import Client
from server.base.work.background import Background
from server.base.work.stop import Stop
from server.dailies import archive
from server.dailies.retention import Retention
from server.play.core import keys
from tests.base.journals.test_check import connect_again
from tests.builders import ADA, BOB, START, refusal_from
from tests.clients.site import CLOSED, DAY, SETTLED, archive_in, play_daily
from tests.conftest import ALONE
from tests.nodes import Node, node_on

pytestmark = ALONE

KEEP_DAYS = 30
OLD = CLOSED + KEEP_DAYS * days.DAY


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make files without pauses, two runs at a time."""
    monkeypatch.setattr(archive, "PAUSE", 0)
    monkeypatch.setattr(archive, "PAGE", 2)


def retention_of(node: Node, folder: Path) -> Retention:
    """Return a node's retention, after setting its archive folder."""
    services = node.services
    services.archive = archive_in(folder, node)
    return Retention(
        services.archive,
        node.registration,
        services.memory,
        Background(),
        journals=node.services.journal_store,
        trimmed=node.services.trimmed_store,
        clock=node.services.clock,
        keep_days=KEEP_DAYS,
    )


async def played(node: Node) -> list[str]:
    """Play runs of an account holder and a guest, and return the journals' keys."""
    await node.services.histories.keep(ADA, START)
    return [
        keys.attempt(await play_daily(node, player, game, moves))
        for player, game, moves in ((ADA, "robert", 0), (BOB, "robert", 3), (ADA, "deuces", 2))
    ]


def runs_of(folder: Path) -> list[str]:
    (path,) = folder.iterdir()
    lines = gzip.decompress(path.read_bytes()).splitlines()
    return [json.loads(line)["player"] for line in lines[1:]]


async def test_a_day_is_archived_and_loses_its_journals_later(node: Node, tmp_path: Path) -> None:
    journals, retention = await played(node), retention_of(node, tmp_path)
    node.clock.time = SETTLED - 1
    await retention.check()
    assert [*tmp_path.iterdir()] == []
    node.clock.time = SETTLED
    await retention.check()
    assert sorted(runs_of(tmp_path)) == sorted([ADA, ADA, BOB])
    node.clock.time = OLD - 1
    await retention.check()
    assert await node.services.journal_store.existing(journals) == [True] * 3
    node.clock.time = OLD
    await retention.check()
    assert await node.services.journal_store.existing(journals) == [False] * 3
    assert sorted(runs_of(tmp_path)) == sorted([ADA, ADA, BOB])
    assert (await node.services.archive.days())[DAY] == {"robert": 2, "deuces": 1}
    assert (await node.services.archive.load(DAY)).path.exists()


async def test_no_incomplete_day_is_archived(node: Node, redis_url: str, tmp_path: Path) -> None:
    await played(node)
    node.clock.time = OLD
    await retention_of(node, tmp_path / "here").check()
    async with node_on(redis_url, node.clock) as other:
        elsewhere = retention_of(other, tmp_path / "elsewhere")
        assert await other.services.archive.days() == {}
        assert await refusal_from(other.services.archive.load(DAY)) == "unknown_day"
        await elsewhere.check()
    assert not (tmp_path / "elsewhere").exists()


async def test_a_day_that_cannot_be_archived_keeps_its_journals(node: Node, tmp_path: Path) -> None:
    journals = await played(node)
    (tmp_path / "file").write_text("no folder")
    node.clock.time = OLD
    await retention_of(node, tmp_path / "file" / "archive").check()
    assert await node.services.journal_store.existing(journals) == [True] * 3


async def test_filling_stores_drop_old_days(redis: Client, node: Node, tmp_path: Path) -> None:
    journals, retention, memory = (
        await played(node),
        retention_of(node, tmp_path),
        node.services.memory,
    )
    used = int((await redis.info("memory"))["used_memory"])
    try:
        await redis.config_set("maxmemory", used * 100 // 65)
        await memory.check()
        node.clock.time = CLOSED + LEAST_DAYS * days.DAY - 1
        await retention.check()
        assert await node.services.journal_store.existing(journals) == [True] * 3
        assert node.services.quotas.days([ADA]) == 7
        node.clock.time += 1
        await retention.check()
        assert await node.services.journal_store.existing(journals) == [False] * 3
    finally:
        await redis.config_set("maxmemory", 0)
    await memory.check()
    assert node.services.quotas.days([ADA]) == KEPT_DAYS


async def test_only_one_node_does_the_work(node: Node, tmp_path: Path) -> None:
    await played(node)
    node.clock.time = OLD
    node.registration.note_alive("")
    await retention_of(node, tmp_path).check()
    assert [*tmp_path.iterdir()] == []


async def test_deleted_journals_are_not_reported_as_lost(node: Node, tmp_path: Path) -> None:
    journals = await played(node)
    node.clock.time = OLD
    await retention_of(node, tmp_path).check()
    await connect_again(node, journals)
    await node.services.journal_check.check(Stop())
    assert node.database.metrics.lost_journals == 0


async def test_a_check_lists_the_files_once_and_off_the_event_loop(
    node: Node, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This checks a month of completed days, with three years of files."""
    on_loop: list[bool] = []
    scandir = os.scandir

    def list_files(path: Path) -> Iterator[os.DirEntry[str]]:
        if path == tmp_path:
            on_loop.append(threading.current_thread() is threading.main_thread())
        return scandir(path)

    await played(node)
    retention = retention_of(node, tmp_path)
    node.clock.time = OLD
    await retention.check()
    for day in range(DAY - 1_000, DAY):
        (tmp_path / f"{days.date_text(day)}-0a.jsonl.gz").touch()
    monkeypatch.setattr(os, "scandir", list_files)
    await retention.check()
    assert on_loop == [False]
