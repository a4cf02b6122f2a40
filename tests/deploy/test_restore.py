"""Backup, restore and verification as in `deploy/README.md`, with real servers."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from engine.deal import SEED_BYTES
from server.base.core import keys
from server.base.seals.core.secret_keys import KEY_BYTES, SecretKeys
from server.base.seals.key_file import add_key
from server.cli import upkeep
from server.cli.main import main
from server.deals.core import keys as deals_keys
from server.rooms.core import commands
from tests.clients.client import opened
from tests.clients.play import race_of, resign
from tests.conftest import SECRET_KEY_FILE, node, secret_keys
from tests.deploy.commands import ran
from tests.deploy.recipes.documents import blocks
from tests.processes import PATIENCE, ROOT, program
from tests.redis_programs import default_program
from tests.redis_servers import Server
from tests.redis_users import NODES, as_node, secrets


class Backups(NamedTuple):
    """Copies of a store with played games.

    Attributes:
        snapshot: the file written by `redis-cli --rdb`.
        report: the output of `verify-store --json` at that time.
    """

    files: Path
    snapshot: Path
    report: Path


def verified(url: str, *words: str, keys_file: Path = SECRET_KEY_FILE) -> tuple[int, str, Any]:
    fixed = ["admin", "--redis", as_node(url), "--secret-key-file", str(keys_file), "--json"]
    done = CliRunner().invoke(main, [*fixed, "verify-store", *words])
    report = json.loads(done.stdout) if done.stdout else None
    return done.exit_code, done.stderr, report


async def play(url: str) -> None:
    async with node(url) as port, opened(port) as one, opened(port) as other:
        runs = await race_of(one, other)
        await one.keep()
        await one.ask("rename", name="Ada")
        daily = await one.ask("daily.open", game="robert")
        for run in (runs[0], daily):
            moved = await one.ask("move", attempt=run["attempt"], seq=2, move="s>w")
            await resign(one, run | {"seq": moved["seq"]})
        await resign(other, runs[1])
        board = await one.ask("leaderboard.watch", game="robert")
        assert "size" in board, board
        if not board["size"]:
            await one.next("leaderboard", lambda board: board["size"] == 1)
        # A second daily, which stays open.
        begun = await other.ask("daily.open", game="deuces")
        await other.ask("move", attempt=begun["attempt"], seq=2, move="s>w")


@contextmanager
def server_on(data: Path, **options: str) -> Iterator[Server]:
    server = Server(data, **options)
    server.start()
    try:
        yield server
    finally:
        server.kill()


@pytest.fixture(scope="module")
def backups(tmp_path_factory: pytest.TempPathFactory) -> Backups:
    folder = tmp_path_factory.mktemp("backups")
    found = Backups(folder / "files", folder / "backup/dump.rdb", folder / "backup/store.json")
    found.files.mkdir()
    with server_on(folder / "redis") as server:
        with pytest.MonkeyPatch.context() as shorter:
            shorter.setattr(commands, "COUNTDOWN_MS", 50)
            asyncio.run(play(server.url))
        (by_hand, *_) = blocks("deploy/README.md", "Backup and restore")
        operate(by_hand, folder, folder / "redis", server)
    (folder / "backup/appendonlydir").rename(found.files / "appendonlydir")
    return found


def test_the_files_of_redis_are_restored_by_copying_them_back(
    backups: Backups, tmp_path: Path
) -> None:
    data = shutil.copytree(backups.files, tmp_path / "redis")
    with server_on(data) as server:
        code, said, report = verified(server.url, "--expect", str(backups.report))
        assert (code, report["problems"]) == (0, []), said
        assert "This store is whole." in said
        before = json.loads(backups.report.read_text())
        assert report["newest"] == before["newest"]
        assert report["keys"]["attempt"] == report["verified"]["attempt"] == 4
        assert report["keys"]["room"] == report["verified"]["room"] == 1
        assert report["verified"]["history"] == 2
        assert report["verified"]["deal"] == report["keys"]["deal"] >= 9
        # A sample is always the same sample.
        _, _, half = verified(server.url, "--percent", "50")
        assert half["keys"] == report["keys"]
        assert sum(half["verified"].values()) < sum(report["verified"].values())


def test_a_snapshot_is_restored_as_an_append_only_file(backups: Backups, tmp_path: Path) -> None:
    _, restore, *_ = blocks("deploy/README.md", "Backup and restore")
    data = tmp_path / "redis"
    operate(restore, backups.snapshot.parents[1], data)
    assert [path.name for path in data.iterdir()] == ["appendonlydir"]
    with server_on(data) as server:
        code, said, _ = verified(server.url, "--expect", str(backups.report))
        assert code == 0, said


def test_a_failing_restore_gives_the_reason(backups: Backups, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.rdb"
    content = bytearray(backups.snapshot.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    (tmp_path / "used").mkdir()
    (tmp_path / "used/dump.rdb").touch()
    for snapshot, folder, why in (
        (damaged, "new", "cannot read the snapshot: "),
        (tmp_path / "none", "new", "none cannot be read"),
        (backups.snapshot, "used", "is not empty; move its contents elsewhere"),
    ):
        env = os.environ | {"REDIS_SERVER": default_program()}
        done = ran(ROOT / "deploy/restore.sh", snapshot, tmp_path / folder, env=env)
        assert done.returncode == 1
        assert done.stdout.startswith("restore.sh: ")
        assert why in done.stdout
    assert list((tmp_path / "new").iterdir()) == []


def back_up(folder: Path, redis: str, **variables: str) -> tuple[int, str]:
    own = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "SAMEDEAL_REDIS": redis,
        "SAMEDEAL_REDIS_PASSWORD_FILE": str(secrets().folder / "redis-samedeal"),
        "SAMEDEAL_REPLICA_PASSWORD_FILE": str(secrets().folder / "redis-replica"),
        "SAMEDEAL_SECRET_KEY_FILE": str(SECRET_KEY_FILE),
    }
    env = os.environ | own | variables
    done = ran(ROOT / "deploy/backup.sh", folder, env=env, cwd=None, timeout=PATIENCE)
    return done.returncode, done.stdout


def test_old_backups_are_deleted_only_if_the_store_is_whole(
    backups: Backups, tmp_path: Path
) -> None:
    data = shutil.copytree(backups.files, tmp_path / "redis")
    old = [f"2026-01-0{day}T000000Z" for day in range(1, 5)]
    for name in old:
        (tmp_path / "backups" / name).mkdir(parents=True)

    def kept() -> list[str]:
        return sorted(path.name for path in (tmp_path / "backups").glob("20*"))

    quick = {"repl-diskless-sync-delay": "0"}
    with server_on(data, **quick) as server, server.client() as client:
        url = f"redis://{NODES}@127.0.0.1:{server.port}"
        code, said = back_up(tmp_path / "backups", url, SAMEDEAL_BACKUPS="3")
        assert code == 0, said
        (made,) = set(kept()) - set(old)
        assert kept() == [*old[2:], made]
        found = {path.name for path in (tmp_path / "backups" / made).iterdir()}
        assert found == {"store.json", f"127.0.0.1-{server.port}.rdb"}
        # As if the backup had been made a second later.
        (tmp_path / "backups" / made).rename(tmp_path / "backups" / old[0])

        client.delete(*(str(key) for key in client.scan_iter("deal:*", count=1000)))
        whole = {"SAMEDEAL_BACKUPS": "1", "SAMEDEAL_BACKUP_PERCENT": "100"}
        code, said = back_up(tmp_path / "backups", url, **whole)
        assert (code, "the store is damaged" in said) == (1, True), said
        assert len(kept()) == 4
        assert server.refused() == []


@pytest.mark.parametrize(
    ("redis", "why"),
    [
        (
            "rediss://samedeal@localhost",
            "SAMEDEAL_REDIS must start with redis:// or redis+cluster://",
        ),
        ("redis://samedeal@127.0.0.1:1", "the store cannot be read"),
    ],
)
def test_a_failing_backup_gives_the_reason(tmp_path: Path, redis: str, why: str) -> None:
    code, said = back_up(tmp_path / "backups", redis)
    assert code == 1
    assert f"backup.sh: {why}" in said
    assert not list(tmp_path.glob("backups/20*"))


def operate(block: str, folder: Path, data: Path, server: Server | None = None) -> None:
    env = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "REDIS_SERVER": default_program(),
    }
    if server is not None:
        env |= {
            "SAMEDEAL_REDIS": f"redis://{NODES}@127.0.0.1:{server.port}",
            "SAMEDEAL_REDIS_PASSWORD_FILE": str(secrets().folder / "redis-samedeal"),
            "SAMEDEAL_SECRET_KEY_FILE": str(SECRET_KEY_FILE),
        }
        block = block.replace("redis-cli ", f"redis-cli -p {server.port} ")
    for told, here in (
        ("deploy/secrets", secrets().folder),
        ("deploy/restore.sh", ROOT / "deploy/restore.sh"),
        ("/var/lib/redis", data),
    ):
        block = block.replace(told, str(here))
    done = ran(program("sh"), "-eux", "-c", block, cwd=folder, env=env, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout


def test_a_snapshot_that_redis_ignores_is_detected(backups: Backups, tmp_path: Path) -> None:
    data = tmp_path / "redis"
    data.mkdir()
    shutil.copy(backups.snapshot, data / "dump.rdb")
    with server_on(data) as server:
        code, said, _ = verified(server.url)
        assert (code, "it is empty" in said) == (1, True)
        code, said, report = verified(server.url, "--expect", str(backups.report))
        assert code == 1
        assert "This is another store" in said
        assert "Of 4 keys of the kind `attempt`, 0 are left." in report["problems"]
        assert "The newest journal entry is missing." in report["problems"]


def test_a_restore_with_other_secret_keys_is_detected(backups: Backups, tmp_path: Path) -> None:
    other = tmp_path / "keys"
    add_key(other)
    data = shutil.copytree(backups.files, tmp_path / "redis")
    with server_on(data) as server:
        code, said, _ = verified(server.url, keys_file=other)
        assert code == 1
        assert f"lacks the key {secret_keys().newest}" in said


def test_each_kind_of_damage_is_named(backups: Backups, tmp_path: Path) -> None:
    data = shutil.copytree(backups.files, tmp_path / "redis")
    with server_on(data) as server, server.client() as client:

        def names(pattern: str) -> list[str]:
            return sorted(map(str, client.scan_iter(pattern, count=1000)))

        attempts = names("*:attempt:*")
        dailies = names("daily:*")
        with_entries = [key for key in attempts if int(client.xlen(key)) > 1]
        client.xdel(with_entries[0], "0-1")
        client.xadd(with_entries[1], {"e": '{"type":"moved","move":[1],"at":5}'}, id="0-9")
        lost, changed, foreign = (deals_keys.deal(str(client.get(key))) for key in dailies[:3])
        client.delete(lost)
        client.hset(changed, "commitment", "0" * 64)
        client.hset(foreign, "sealed", SecretKeys([bytes([1] * KEY_BYTES)]).seal("x", b"x"))
        (ranked,) = (
            names("leaderboard:*robert:2*:ranked") or names("leaderboard:*robert*}:ranked")[:1]
        )
        client.zremrangebyrank(ranked, 0, -1)
        # Days won of a game without a result.
        client.hset(names("history:*")[0], "t:deuces", "[7]")
        client.hset(keys.outbox(1), "x", '{"type":"later"}')
        client.zadd(keys.due(2), {"r:ABCDE": 5})
        code, _, report = verified(server.url, "--expect", str(backups.report))
    assert code == 1
    for problem in (
        "Journals with a gap: ",
        "Dailies without a deal that can be opened: 3",
        "Deals that cannot be opened (seed_not_opened): 2, such as ",
        "Leaderboards that differ from the histories of their players: ",
        "Histories with totals that differ from their results: 1, such as ",
        "Effects that this release cannot read: 1, such as x.",
        "Deadlines without a journal: 1, such as ABCDE.",
    ):
        assert any(each.startswith(problem) for each in report["problems"]), report["problems"]
    assert report["overdue"] >= 1


def test_a_copy_of_redis_reveals_no_seed_and_no_key(backups: Backups, tmp_path: Path) -> None:
    data = shutil.copytree(backups.files, tmp_path / "redis")
    opener = secret_keys()
    with server_on(data) as server, server.client() as client:
        sealed = {
            str(key): str(client.hget(str(key), "sealed"))
            for key in client.scan_iter("deal:*", count=1000)
        }
    seeds = [opener.open(f"seed {keys.kind_of(key)[1]}", text) for key, text in sealed.items()]
    assert len(seeds) >= 9
    assert {len(seed) for seed in seeds} == {SEED_BYTES}
    copies = [backups.snapshot, *(path for path in backups.files.rglob("*") if path.is_file())]
    content = b"".join(path.read_bytes() for path in copies)
    secret = SECRET_KEY_FILE.read_bytes().strip()
    for told in [secret, bytes.fromhex(secret.decode()), *seeds]:
        assert told not in content
        assert told.hex().encode() not in content


@pytest.mark.parametrize(
    ("age", "told"),
    [
        (-3_600_000, "1:00:00 ahead of Redis's time, which may be wrong."),
        (-2_500, "less than a second old."),
        (0, "less than a second old."),
        (999, "less than a second old."),
        (1_000, "0:00:01 old. Later entries are lost if this is a restore."),
        (90_061_000, "1 day, 1:01:01 old. Later entries are lost if this is a restore."),
    ],
)
def test_the_age_of_the_newest_entry_is_printed(age: int, told: str) -> None:
    assert upkeep.age_text(age) == f"The newest journal entry is {told}"
