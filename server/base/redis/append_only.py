r"""The append-only files of an embedded server: listing, checking and repairing them.

A file consists of an optional snapshot in Redis's binary format, followed by commands such as
`*2\r\n$3\r\nDEL\r\n$1\r\na\r\n`. After a power cut, the last file may be too short; the server then
truncates it to the last complete command. Or it may have been extended without the data being
written, and end in NULs.
"""

from __future__ import annotations

import mmap
import os
import re
import shutil
from pathlib import Path
from typing import Final, NamedTuple

import structlog

NAME: Final = "appendonly.aof"
"""The only file of a server before 7.0."""

MANIFEST: Final = f"appendonlydir/{NAME}.manifest"
"""The manifest that lists the files of a newer server."""

_PART: Final = re.compile(r"^file (\S+) seq \d+ type ([bi])\b", re.MULTILINE)
_SNAPSHOT: Final = (b"REDIS", b"VALKEY")
_END_OF_SNAPSHOT: Final = 0xFF
_CHECKSUM: Final = 8
"""Bytes of the checksum after the end-of-snapshot byte."""

_COUNT: Final = re.compile(rb"\*(\d{1,9})\r\n")
_LENGTH: Final = re.compile(rb"\$(\d{1,9})\r\n")
_COMMENT: Final = re.compile(rb"#[^\r\n]{0,1000}\r\n")
_BEGUN: Final = re.compile(rb"([*$]\d{0,9}|#[^\r\n]{0,1000})\r?")

log = structlog.get_logger()


class Scan(NamedTuple):
    """The result of scanning a file.

    Attributes:
        whole: the length in bytes of the snapshot and the complete commands.
        damaged: whether they are followed by anything but the start of a command.
    """

    whole: int
    damaged: bool


def files(data: Path) -> list[Path]:
    """Return the append-only files in a data directory, in the order of loading.

    The server appends to the last one. The result is empty if there are no files, or if the
    manifest cannot be read.
    """
    manifest = data / MANIFEST
    if not manifest.exists():
        return [single] if (single := data / NAME).exists() else []
    text = manifest.read_text(encoding="utf-8", errors="replace")
    parts = [(kind != "b", manifest.parent / name) for name, kind in _PART.findall(text)]
    return [path for _, path in sorted(parts, key=lambda part: part[0])]


def cut_off_nulls(data: Path) -> None:
    """Truncate trailing NULs of the last file, with the command that they interrupt.

    The removed bytes are kept in a separate file, and logged. A file that is damaged earlier, or an
    only file that would become empty, is left unchanged: the server refuses it, and `damage`
    reports the position.
    """
    found = files(data)
    path = found[-1] if found else data / NAME
    if not path.exists() or not (size := path.stat().st_size):
        return
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        # Without NULs at its end, the file was not damaged in this way.
        if content[size - 1]:
            return
        scanned = scan(content, _without_nulls(content))
        if scanned.damaged or (scanned.whole == 0 and len(found) == 1):
            return
        kept = _unused_path(data / f"{path.name}.cut-off")
        with kept.open("xb") as tail:
            kept.chmod(0o600)
            file.seek(scanned.whole)
            shutil.copyfileobj(file, tail)
            # The removed bytes must be on disk before the file is truncated.
            tail.flush()
            os.fsync(tail.fileno())
    os.truncate(path, scanned.whole)
    log.warning(
        "embedded_redis_repaired",
        file=str(path),
        size=size,
        cut_off=size - scanned.whole,
        kept=str(kept),
        advice="The file ended in NULs, as after a power cut: the last writes are lost.",
    )


def damage(data: Path) -> str | None:
    """Return a message about the first damaged file and the remedy, or `None` if all are intact.

    It reads all files, at about 10 MB per second.
    """
    found = files(data)
    for path in found:
        if not path.exists():
            return f"The file {path} is missing. {_ADVICE}"
        size = path.stat().st_size
        if not size:
            continue
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as all_:
            whole, damaged = scan(all_, size)
        # Only the last file may end within a command: the server truncates it.
        if damaged or (whole < size and path != found[-1]):
            return f"The file {path} is damaged at byte {whole} of {size}. {_ADVICE}"
    return None


_ADVICE: Final = (
    "Nothing was changed. Restore a backup of the directory. Or copy the directory, and truncate "
    "the file with `redis-check-aof --fix` (part of Redis): all data after that byte is then lost."
)


def scan(content: mmap.mmap | bytes, size: int) -> Scan:
    """Scan the first `size` bytes of a file."""
    at = 0
    if content[:6].startswith(_SNAPSHOT):
        at = _snapshot_end(content, size)
        if at < 0:
            return Scan(0, damaged=True)
    while at < size:
        end = _command_end(content, at, size)
        if end is None:
            return Scan(at, damaged=True)
        if end > size:
            break
        at = end
    return Scan(at, damaged=False)


def _command_end(content: mmap.mmap | bytes, at: int, size: int) -> int | None:
    """Return a command's end, more than `size` if it is incomplete, or `None` if it is invalid."""
    comment = _COMMENT.match(content, at, size)
    if comment is not None:
        return comment.end()
    count = _COUNT.match(content, at, size)
    if count is None:
        return _if_incomplete(content, at, size)
    at = count.end()
    for _ in range(int(count[1])):
        length = _LENGTH.match(content, at, size)
        if length is None:
            return _if_incomplete(content, at, size)
        # Each argument is followed by CRLF.
        at = length.end() + int(length[1]) + 2
        if at > size:
            break
        if content[at - 2 : at] != b"\r\n":
            return None
    return at


def _if_incomplete(content: mmap.mmap | bytes, at: int, size: int) -> int | None:
    """Return more than `size` if the bytes at `at` are the start of a line, else `None`."""
    begun = at == size or _BEGUN.fullmatch(content, at, size) is not None
    return size + 1 if begun else None


def _without_nulls(content: mmap.mmap) -> int:
    """Return the size of a file without trailing NULs."""
    end, block = len(content), 65_536
    while end:
        kept = content[max(0, end - block) : end].rstrip(b"\0")
        end = max(0, end - block) + len(kept)
        if kept:
            break
    return end


def _snapshot_end(content: mmap.mmap | bytes, size: int) -> int:
    """Return the end of a snapshot, after its checksum, or -1 if there is none."""
    # The end-of-snapshot byte may also occur inside, so only a matching checksum proves the end.
    checksum, table = 0, _CRC_TABLE
    # The checksum may end in NULs, which are not included in `size`.
    for at in range(size):
        byte = content[at]
        checksum = table[(checksum ^ byte) & 0xFF] ^ (checksum >> 8)
        if byte == _END_OF_SNAPSHOT:
            found = content[at + 1 : at + 1 + _CHECKSUM]
            if len(found) == _CHECKSUM and int.from_bytes(found, "little") == checksum:
                return at + 1 + _CHECKSUM
    return -1


def _crc_row(byte: int) -> int:
    for _ in range(8):
        byte = (byte >> 1) ^ (0x95AC9329AC4BC9B5 if byte & 1 else 0)
    return byte


_CRC_TABLE: Final = [_crc_row(byte) for byte in range(256)]
"""The table of CRC-64/REDIS, reflected. Redis calls it CRC-64 Jones."""


def _unused_path(path: Path) -> Path:
    """Return the path, or else the first path with a numeric suffix, without a file."""
    number = 1
    free = path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.name}-{number}")
    return free
