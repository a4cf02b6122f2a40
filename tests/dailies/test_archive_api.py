"""The archive: one file per day, with all the data for replaying its runs."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from server.base.core import days
from server.base.web.api.route import FOREVER
from server.dailies import archive
from server.dailies.archive import DAYS, Archive
from server.play.core.run import check, parse_file
from tests.builders import ADA, BOB, CYD, START
from tests.clients.site import DATE, SETTLED, Site, play_daily
from tests.conftest import ALONE
from tests.nodes import Node, SetClock, node_on

pytestmark = ALONE

PATH = f"/archive/{DATE}.jsonl.gz"


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make files without pauses, two runs at a time."""
    monkeypatch.setattr(archive, "PAUSE", 0)
    monkeypatch.setattr(archive, "PAGE", 2)


async def play_day(node: Node) -> None:
    """Play five runs at a game, one of them by an account holder, and one run at another game."""
    for player in (ADA, BOB, CYD):
        await play_daily(node, player)
    await play_daily(node, ADA, "lady-betty", moves=2)
    await node.services.histories.keep(ADA, START)
    await node.services.player_store.update(ADA, "Ada Lovelace")


def lines_of(content: bytes) -> list[Any]:
    return [json.loads(line) for line in gzip.decompress(content).splitlines()]


async def test_a_file_is_made_at_the_first_request(site: Site, node: Node) -> None:
    await play_day(node)
    node.clock.time = SETTLED
    assert (await site.get("/archive")).json["days"] == [
        {"date": DATE, "url": f"/api{PATH}", "games": {"robert": 3, "lady-betty": 1}}
    ]
    first = await site.get(PATH)
    assert (first.status, first.code, first.headers["Retry-After"]) == (503, "being_made", "30")
    await node.services.archive.wait()
    reply = await site.get(PATH)
    assert reply.status == 200
    assert reply.headers["Cache-Control"] == f"public, max-age={FOREVER}, immutable"
    head, *runs = lines_of(reply.body)
    assert (head["samedeal"], head["format"], head["date"]) == ("day", 1, DATE)
    assert [(run["game"], run["group"], run["rank"]) for run in runs] == sorted(
        ((run["game"], run["group"], run["rank"]) for run in runs),
        key=lambda key: ([deal["game"] for deal in head["deals"]].index(key[0]), key[1] == "guests",
                         key[2]),
    )  # fmt: skip
    assert {run["player"] for run in runs} == {ADA, BOB, CYD}
    assert b"Lovelace" not in gzip.decompress(reply.body)
    unchanged = await site.get(PATH, **{"If-None-Match": reply.headers["ETag"]})
    assert (unchanged.status, unchanged.body) == (304, b"")
    node.clock.time += 10_000
    part = await site.ask(f"/api{PATH}", Range="bytes=0-9")
    assert (part.status, part.body) == (206, reply.body[:10])


async def test_each_line_is_a_run_that_can_be_checked(site: Site, node: Node) -> None:
    await play_day(node)
    node.clock.time = SETTLED
    await site.get(PATH)
    await node.services.archive.wait()
    head, *runs = lines_of((await site.get(PATH)).body)
    deals = {deal["game"]: deal for deal in head["deals"]}
    for run in runs:
        player = {"id": run["player"], "name": "", "tag": ""}
        file = {**deals[run["game"]], **run, "player": player, "samedeal": "run", "format": 1}
        assert check(parse_file(msgspec.json.encode(file))) is None
    assert len(runs) == 4


async def test_files_are_identical(site: Site, node: Node, redis_url: str, tmp_path: Path) -> None:
    await play_day(node)
    node.clock.time = SETTLED
    await site.get(PATH)
    await node.services.archive.wait()
    async with node_on(redis_url, node.clock) as other:
        own = Archive(
            other.attempts,
            other.dailies,
            other.services.daily_list,
            tmp_path / "other",
            leaderboards=other.services.leaderboard_store,
            trimmed=other.services.trimmed_store,
            clock=other.services.clock,
        )
        with pytest.raises(Exception, match="being_made"):
            await own.load(days.day_at(START))
        await own.wait()
        made = await own.load(days.day_at(START))
        assert made.path.read_bytes() == (await site.get(PATH)).body
        assert [path.name for path in (tmp_path / "other").iterdir()] == [made.path.name]


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("today.jsonl.gz", "unknown_day"),
        (f"{DATE}.json", "unknown_path"),
        (f"{DATE}.jsonl.gz.x", "unknown_path"),
        ("..%2F..%2Fetc%2Fpasswd", "unknown_path"),
        (f"..%2F{DATE}.jsonl.gz", "unknown_day"),
        (f"{days.date_text(days.day_at(SETTLED))}.jsonl.gz", "unknown_day"),
    ],
)
async def test_other_files_are_unknown(site: Site, clock: SetClock, file: str, code: str) -> None:
    clock.time = SETTLED
    reply = await site.ask(f"/api/archive/{file}")
    assert reply.status == 404
    assert reply.code in {code, "unknown_path"}


async def test_a_day_can_be_archived_until_its_journals_expire(site: Site, node: Node) -> None:
    await play_day(node)
    node.clock.time = SETTLED - 1
    assert (await site.get("/archive")).json["days"] == []
    assert (await site.get(PATH)).code == "unknown_day"
    node.clock.time = START + DAYS * days.DAY - days.DAY
    assert (await site.get("/archive")).json["days"][0]["date"] == DATE
    node.clock.time += days.DAY
    assert (await site.get("/archive")).json["days"] == []
    assert (await site.get(PATH)).code == "unknown_day"


@pytest.mark.usefixtures("site")
async def test_a_stopping_node_leaves_no_partial_file(node: Node, tmp_path: Path) -> None:
    await play_day(node)
    node.clock.time = SETTLED
    # Not over HTTP: the file might be complete before the answer arrives.
    with pytest.raises(Exception, match="being_made"):
        await node.services.archive.load(days.day_at(START))
    await node.services.archive.close()
    assert [*tmp_path.iterdir()] == []


async def test_unwritable_folders_are_retried(site: Site, node: Node, tmp_path: Path) -> None:
    await play_day(node)
    node.clock.time = SETTLED
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    node.services.archive = Archive(
        node.attempts,
        node.dailies,
        node.services.daily_list,
        blocked / "archive",
        leaderboards=node.services.leaderboard_store,
        trimmed=node.services.trimmed_store,
        clock=node.services.clock,
    )
    for _ in range(2):
        assert (await site.get(PATH)).code == "being_made"
        await node.services.archive.wait()
