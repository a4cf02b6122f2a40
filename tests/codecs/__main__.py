"""Play on a node with msgpack libraries of other languages: `python -m tests.codecs`.

Installs the libraries' pinned versions into a temporary folder, from npm, PyPI and Debian (with
`apt-get download`), which needs Node, Perl and the network. Each library packs the commands of a
short session with a real node, and unpacks the answers. The table shows how the node read each
frame:

    same        as Python's msgpack packs it
    lenient     in another form, which the node accepts
    refused     with the reason

With `--record`, the frames are written to `tests/vectors/codecs.json`, which a test reads.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from server.app import running_node
from server.base.redis.embedded import embedded_redis
from server.base.seals.key_file import own_keys
from server.base.wire.messages import kind_of
from server.cli.logs import configure
from server.protocol import COMMANDS
from server.settings import Settings
from tests.codecs.libraries import LIBRARIES, install
from tests.codecs.session import Row, play

RECORDED = Path(__file__).parents[1] / "vectors" / "codecs.json"


async def rows(folder: Path) -> list[Row]:
    """Play a session with each library, and return its messages."""
    async with embedded_redis(folder) as redis:
        settings = Settings(host="127.0.0.1", port=0, redis=redis, secret_key_file=own_keys(folder))
        async with running_node(settings) as port:
            return [row for library in LIBRARIES for row in await play(library, folder, port)]


def name_of(value: list[Any]) -> str:
    """Return the name of a command."""
    names = {kind_of(command): command.__name__ for command in COMMANDS}
    return names.get(value[0], "PlayMove")


def main() -> int:
    """Play, print the table, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    configure("console", "error", "codecs")
    with tempfile.TemporaryDirectory(prefix="samedeal") as name:
        folder = Path(name)
        install(folder)
        found = asyncio.run(rows(folder))
    for row in found:
        note = row.refusal or (f"the answer is read as {row.read[:60]}" if row.read else "")
        sys.stdout.write(f"{row.library:34}{name_of(row.value):14}{row.outcome:9}{note}\n")
    if options.record:
        entries = [json.dumps([r.library, r.value, r.frame.hex(), r.refusal]) for r in found]
        RECORDED.write_text("[\n" + ",\n".join(entries) + "\n]\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
