"""Detection of the server that wrote embedded data, and of the servers that can read it.

Servers of the Redis family read data of older servers of their kind, but do not always refuse data
that they cannot read: a server before 7.0 looks for its file in another place than newer ones, and
starts empty. The writer is therefore recorded in `server.json` in the directory. The data files are
examined too, in case that file is missing, or the server was killed before it was written.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from server.base.redis import append_only
from server.base.redis.programs import NAMES, EmbeddedServerError, Program, Version, version_text

FILE = "server.json"
"""The file in the data directory that records the writer."""

FORMAT = 1
"""The format of that file."""

_FIRST: Final = (0, 0)
_MULTI_PART: Final = (7, 0)
_LAST_SHARED: Final = (7, 2)
"""The last version of Redis whose files Valkey, a fork of it, can read."""

_RDB: Final = {9: (6, 2), 10: (7, 0), 11: (7, 2), 12: (7, 4)}
"""The first version of Redis that writes and reads each version of its binary format."""

_FIRST_VALKEY_RDB: Final = 80
"""The first version of that format written only by Valkey, from 9.0 on."""


class Written(NamedTuple):
    """Data, described by its last writer.

    Attributes:
        by: the writer, for use in a sentence.
        least: the minimum version of each kind of server that can read the data; kinds that cannot
            are missing.
    """

    by: str
    least: dict[str, Version]

    def is_read_by(self, program: Program) -> bool:
        """Return whether a server can read the data."""
        return program.name in self.least and program.version[:2] >= self.least[program.name]


def written_by(name: str, version: Version) -> Written:
    """Return the description of data written by a server of this name and version."""
    by = f"{NAMES[name]} {version_text(version)}"
    minor = version[:2]
    # Redis probably reads data of a Valkey before 9.0, but this is not guaranteed.
    if name == "valkey":
        return Written(by, {"valkey": minor})
    least = {"redis": _FIRST if minor < _MULTI_PART else minor}
    return Written(by, least | {"valkey": _FIRST} if minor <= _LAST_SHARED else least)


def program_for(data: Path, programs: Sequence[Program]) -> Program:
    """Return the first server that can read all data in a directory.

    Raises:
        EmbeddedServerError: none can, or the directory's content is unclear.
    """
    found = list(_writers_of(data))
    for program in programs:
        if all(written.is_read_by(program) for written in found):
            return program
    refused = next(each for each in found if not each.is_read_by(programs[0]))
    here = " and ".join(dict.fromkeys(map(str, programs)))
    needed = " or ".join(
        f"{name}-server" + (f" {version_text(least)} or newer" if least != _FIRST else "")
        for name, least in refused.least.items()
    )
    raise EmbeddedServerError(
        f"The data in {data} was written by {refused.by}, and cannot be read by {here}. "
        f"Put {needed} on the PATH."
    )


def note_writer(data: Path, program: Program) -> None:
    """Record this server as the writer of the data from now on."""
    content = {"format": FORMAT, "name": program.name, "version": version_text(program.version)}
    text = json.dumps(content) + "\n"
    file = data / FILE
    if file.is_file() and file.read_text(encoding="utf-8") == text:
        return
    # Replaced atomically: a node refuses to start with a partial file.
    new = data / f"{FILE}.new"
    with new.open("w", encoding="utf-8") as opened:
        opened.write(text)
        opened.flush()
        os.fsync(opened.fileno())
    new.replace(file)


def _writers_of(data: Path) -> Iterator[Written]:
    """Yield descriptions of the data, from the recorded writer and from the files."""
    noted = _recorded_writer(data / FILE)
    if noted is not None:
        yield noted
    single, manifest = data / append_only.NAME, data / append_only.MANIFEST
    if not manifest.exists():
        return
    parts = append_only.files(data)
    # Redis 7 starts to take over the single file by naming it in the manifest, and then moves it.
    moving = bool(parts) and parts[0].name == single.name and not parts[0].exists()
    if single.exists() and not moving:
        raise EmbeddedServerError(
            f"Two servers have written to {data}, one to {single.name} and a newer one to "
            f"{manifest.parent.name}. Move the one away that you do not need."
        )
    if parts and parts[0].exists():
        with parts[0].open("rb") as file:
            yield from _writers_by_header(file.read(16))
    yield Written("Redis 7.0 or newer, or Valkey", {"redis": _MULTI_PART, "valkey": _FIRST})


def _recorded_writer(file: Path) -> Written | None:
    """Return the recorded writer of a directory's data, or `None` if there is no record."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise EmbeddedServerError(f"{file} was written by a newer release. Use that one.")
        return written_by(content["name"], tuple(map(int, content["version"].split("."))))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise EmbeddedServerError(
            f"{file} does not say which server wrote the data. Delete it: the server is then "
            "recognized by the data."
        ) from error


def _writers_by_header(header: bytes) -> Iterator[Written]:
    """Yield the writer according to the first file's header, if it is in the binary format."""
    found = re.match(rb"(REDIS|VALKEY)(\d{3,4})", header)
    if found is None:
        return
    version = int(found[2])
    if version >= _FIRST_VALKEY_RDB:
        yield written_by("valkey", (9, 0))
    else:
        known = max((each for each in _RDB if each <= version), default=9)
        yield written_by("redis", _RDB[known])._replace(
            by=f"{NAMES['redis']} {version_text(_RDB[known])} or newer"
        )
