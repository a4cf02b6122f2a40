"""The msgpack libraries: their installation, and the processes that pack and unpack with them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE
from typing import Any, Final, NamedTuple

HERE: Final = Path(__file__).parent

NPM: Final = ("msgpackr@2.1.4", "msgpack-lite@0.2.2", "@msgpack/msgpack@3.1.3", "notepack.io@3.0.1")
PYPI: Final = ("ormsgpack==1.13.1", "u-msgpack-python==2.8.0", "msgspec==0.23.0")
DEBIAN: Final = ("libdata-messagepack-perl", "lua-messagepack", "lua5.4")
"""Debian 12 has Data::MessagePack 1.02, lua-MessagePack 0.5.2 and Lua 5.4.4."""


class Library(NamedTuple):
    """A library, its driver, and an option of either."""

    name: str
    driver: str
    option: str


LIBRARIES: Final = (
    Library("msgpackr 2.1.4", "driver.mjs", "msgpackr"),
    Library("msgpack-lite 0.2.2", "driver.mjs", "msgpack-lite"),
    Library("@msgpack/msgpack 3.1.3", "driver.mjs", "@msgpack/msgpack"),
    Library("notepack.io 3.0.1", "driver.mjs", "notepack.io"),
    Library("ormsgpack 1.13.1", "driver.py", "ormsgpack"),
    Library("u-msgpack-python 2.8.0", "driver.py", "umsgpack"),
    Library("msgspec 0.23.0", "driver.py", "msgspec"),
    Library("Data::MessagePack 1.02", "driver.pl", ""),
    Library("Data::MessagePack 1.02, utf8", "driver.pl", "utf8"),
    Library("lua-MessagePack 0.5.2", "driver.lua", ""),
    Library("lua-MessagePack 0.5.2, with_hole", "driver.lua", "with_hole"),
)


def install(folder: Path) -> None:
    """Install all libraries into a folder."""
    (folder / "package.json").write_text('{"private": true}')
    _run(folder, "npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", *NPM)
    venv.create(folder / "venv", with_pip=True)
    pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    _run(folder, str(folder / "venv/bin/python"), *pip, *PYPI)
    _run(folder, "apt-get", "download", "--quiet", *DEBIAN)
    for package in folder.glob("*.deb"):
        _run(folder, "dpkg-deb", "--extract", package.name, "debian")
    for driver in HERE.glob("driver.*"):
        (folder / driver.name).write_text(driver.read_text())


def _run(folder: Path, *command: str) -> None:
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)  # noqa: S603


class Codec:
    """A process that packs and unpacks with a library."""

    def __init__(self, library: Library, process: subprocess.Popen[str]) -> None:
        self._is_lua = library.driver.endswith(".lua")
        self._process = process

    def pack(self, value: Any) -> bytes:
        """Return the library's bytes of a value."""
        return bytes.fromhex(self._ask(_lua(value) if self._is_lua else json.dumps(value)))

    def unpack(self, frame: bytes) -> str:
        """Return the library's reading of some bytes, in the form of `shown`."""
        return self._ask(f"<{frame.hex()}")

    def _ask(self, line: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()


@contextmanager
def running(library: Library, folder: Path) -> Iterator[Codec]:
    """Run a library's driver in the folder where it is installed."""
    debian = folder / "debian/usr"
    program = {
        ".mjs": "node",
        ".py": str(folder / "venv/bin/python"),
        ".pl": "perl",
        ".lua": str(debian / "bin/lua5.4"),
    }[Path(library.driver).suffix]
    env = os.environ | {
        "PERL5LIB": ":".join(map(str, debian.glob("lib/*/perl5/*"))),
        "LUA_PATH": str(debian / "share/lua/5.3/?.lua"),
    }
    command = [program, library.driver, *([library.option] if library.option else [])]
    process = subprocess.Popen(  # noqa: S603 - a driver of ours
        command, cwd=folder, env=env, stdin=PIPE, stdout=PIPE, stderr=sys.stderr, text=True
    )
    try:
        yield Codec(library, process)
    finally:
        process.kill()
        process.communicate()


def shown(value: Any) -> str:
    """Return a value as the drivers print it: text and `bin` alike."""
    match value:
        case None:
            return "n"
        case bool():
            return "t" if value else "f"
        case int():
            return f"i{value}"
        case str():
            return f"s{value.encode().hex()}"
        case bytes():
            return f"s{value.hex()}"
    return f"[{','.join(map(shown, value))}]"


def _lua(value: Any) -> str:
    """Return a value as Lua source."""
    if isinstance(value, list):
        return f"{{{', '.join(map(_lua, value))}}}"
    return "nil" if value is None else json.dumps(value, ensure_ascii=False)
