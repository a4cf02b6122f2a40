"""Colyseus and boardgame.io with a small game, for comparison; they need npm."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from deploy.bench.comparison import StartServer
from deploy.bench.processes import (
    ROOT,
    SERVER_CORE,
    Server,
    free_port,
    running_program,
    warm,
)

SOURCES = Path(__file__).parent / "peers"
INSTALLED = ROOT / "build" / "bench-peers"
PEERS = {"colyseus": "Colyseus", "boardgameio": "boardgame.io"}
INSTALL_TIMEOUT = 180.0


def peers() -> tuple[dict[str, StartServer], str | None]:
    """Install the peers.

    Returns:
        What runs each of them, by name, and `None`; or nothing, and why they are left out.
    """
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        return {}, "Colyseus and boardgame.io are left out: npm and node are not on the PATH."
    shutil.copytree(SOURCES, INSTALLED, dirs_exist_ok=True)
    try:
        subprocess.run(  # noqa: S603 - our own arguments
            # Unlike `npm ci`, it accepts a lock file that lacks packages for other platforms.
            [npm, "install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"],
            cwd=INSTALLED,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=INSTALL_TIMEOUT,
            check=True,
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return {}, "Colyseus and boardgame.io are left out: npm could not install them."
    return {name: partial(_peer, node, script) for script, name in PEERS.items()}, None


@contextmanager
def _peer(node: str, script: str) -> Iterator[Server]:
    """Run a peer, warmed up."""
    port = free_port()
    with running_program(
        [node, str(INSTALLED / f"{script}.mjs"), str(port)], core=SERVER_CORE
    ) as pid:
        warm(port)
        yield Server(port, pid, load=(node, str(INSTALLED / "load.mjs"), script))
