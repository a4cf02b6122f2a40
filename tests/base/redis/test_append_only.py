"""Append-only files after a power cut, and with other kinds of damage."""

from __future__ import annotations

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from server.base.redis import append_only
from server.base.redis.append_only import Scan, damage, files, scan
from server.base.redis.embedded import embedded_redis
from server.base.redis.programs import EmbeddedServerError
from tests.base.redis.servers import is_rewritten, until
from tests.conftest import client_of

SET = b"*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n1\r\n"
NULS = bytes(100_000)


@pytest.fixture(params=["PATH", "wheel"])
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the server on the PATH, which has several files, and the wheel's, which has one."""
    if request.param == "wheel":
        monkeypatch.setenv("PATH", "/nowhere")


async def written(data: Path, *, rewritten: bool) -> Path:
    """Have a server write 100 keys, half of them after a snapshot, and return its last file."""
    async with embedded_redis(data) as socket, client_of(socket) as redis:
        for number in range(100):
            if number == 50 and rewritten:
                await redis.bgrewriteaof()
                await until(lambda: is_rewritten(redis))
            await redis.set(f"key {number}", "x" * 100)
    return files(data)[-1]


async def keys_of(data: Path) -> int:
    async with embedded_redis(data) as socket, client_of(socket) as redis:
        return int(await redis.dbsize())


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize("rewritten", [False, True])
@pytest.mark.parametrize(("lost", "kept"), [(0, 100), (5, 99)])
async def test_a_file_ending_in_nulls_is_repaired_and_the_cut_is_reported(
    data: Path, rewritten: bool, lost: int, kept: int
) -> None:
    file = await written(data, rewritten=rewritten)
    before = file.read_bytes()
    file.write_bytes(before[: len(before) - lost] + NULS)
    with capture_logs() as logs:
        assert await keys_of(data) == kept
    (said,) = [line for line in logs if line["event"] == "embedded_redis_repaired"]
    tail = Path(said["kept"]).read_bytes()
    assert said["file"] == str(file)
    assert said["cut_off"] == len(tail)
    assert before[: said["size"] - len(tail)] + tail == before[: len(before) - lost] + NULS
    with capture_logs() as logs:
        assert await keys_of(data) == kept
    assert "embedded_redis_repaired" not in [line["event"] for line in logs]


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize("rewritten", [False, True])
@pytest.mark.parametrize("tail", [b"", NULS])
async def test_a_file_damaged_in_the_middle_is_refused_with_the_place_and_unchanged(
    data: Path, rewritten: bool, tail: bytes
) -> None:
    file = await written(data, rewritten=rewritten)
    content = bytearray(file.read_bytes() + tail)
    at = content.index(b"*3\r\n", len(content) - len(tail) - 2_000)
    content[at : at + 20] = bytes(20)
    file.write_bytes(content)
    with pytest.raises(EmbeddedServerError) as refused:
        await keys_of(data)
    assert f"{file.name} is damaged at byte {at} of {len(content)}" in str(refused.value)
    assert "redis-check-aof --fix" in str(refused.value)
    assert file.read_bytes() == content


@pytest.mark.usefixtures("server")
async def test_a_damaged_snapshot_is_refused(data: Path) -> None:
    await written(data, rewritten=True)
    file = files(data)[0]
    content = bytearray(file.read_bytes())
    content[200] ^= 1
    file.write_bytes(content)
    with pytest.raises(EmbeddedServerError, match="is damaged at byte 0 of"):
        await keys_of(data)


def test_a_file_of_only_nulls_is_not_mistaken_for_an_empty_one(data: Path) -> None:
    (data / append_only.NAME).write_bytes(NULS)
    append_only.cut_off_nulls(data)
    assert (data / append_only.NAME).read_bytes() == NULS
    assert "is damaged at byte 0" in (damage(data) or "")


def test_a_missing_file_is_named(data: Path) -> None:
    manifest = data / append_only.MANIFEST
    manifest.parent.mkdir()
    manifest.write_text(
        "file b.rdb seq 1 type b\nfile h.aof seq 1 type h\nfile i.aof seq 2 type i\n"
    )
    assert [path.name for path in files(data)] == ["b.rdb", "i.aof"]
    assert "b.rdb is missing" in (damage(data) or "")


def test_a_second_tail_does_not_replace_the_first(data: Path) -> None:
    for _ in range(2):
        (data / append_only.NAME).write_bytes(SET + NULS)
        append_only.cut_off_nulls(data)
        assert (data / append_only.NAME).read_bytes() == SET
    assert len(list(data.glob("*.cut-off*"))) == 2
    assert all(not path.stat().st_mode & 0o077 for path in data.glob("*.cut-off*"))


@pytest.mark.parametrize("cut", range(1, len(SET)))
def test_an_incomplete_command_at_the_end_is_no_damage(cut: int) -> None:
    content = SET + SET[:cut]
    assert scan(content, len(content)) == Scan(len(SET), damaged=False)


@pytest.mark.parametrize(
    "wrong",
    [b"x", b"\0" + SET, b"*3\r\n$3\r\nSETx\r\n" + SET, b"*1\r\nx", b"*x", b"$1\r\na\r\n", SET[1:]],
)
def test_other_endings_are_damage(wrong: bytes) -> None:
    content = b"#TS:1\r\n" + SET + wrong
    assert scan(content, len(content)) == Scan(7 + len(SET), damaged=True)


def checksum(content: bytes) -> int:
    found = 0
    for byte in content:
        found = append_only._CRC_TABLE[(found ^ byte) & 0xFF] ^ (found >> 8)
    return found


def test_a_snapshot_ends_after_its_checksum() -> None:
    snapshot = b"REDIS0009\xff"
    whole = snapshot + checksum(snapshot).to_bytes(8, "little")
    assert scan(whole + SET, len(whole + SET)) == Scan(len(whole + SET), damaged=False)
    assert scan(whole, len(whole)) == Scan(len(whole), damaged=False)
    assert scan(snapshot + bytes(8), 18).damaged


def test_the_checksum_is_redis_documented_one() -> None:
    assert checksum(b"123456789") == 0xE9C6D914C4B8D9CA
