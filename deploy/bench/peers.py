"""Colyseus and boardgame.io with a little game, where npm is at hand."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from deploy.bench.duel import Server
from deploy.bench.processes import ROOT, SERVER_CORE, Served, free_port, started, warm

SOURCES = Path(__file__).parent / "peers"
INSTALLED = ROOT / "build" / "bench-peers"
PEERS = {"colyseus": "Colyseus", "boardgameio": "boardgame.io"}
INSTALL_WITHIN = 180.0


def peers() -> tuple[dict[str, Server], str | None]:
    """Install the peers, and return how each is run, by its name; else why they are left out."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        return {}, "Colyseus and boardgame.io are left out: npm and node are not on the PATH."
    shutil.copytree(SOURCES, INSTALLED, dirs_exist_ok=True)
    try:
        subprocess.run(  # noqa: S603 - our own arguments
            # Unlike `npm ci` it takes a lock that lacks a package made for another platform.
            [npm, "install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"],
            cwd=INSTALLED,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=INSTALL_WITHIN,
            check=True,
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return {}, "Colyseus and boardgame.io are left out: npm could not install them."
    return {name: partial(_peer, node, script) for script, name in PEERS.items()}, None


@contextmanager
def _peer(node: str, script: str) -> Iterator[Served]:
    """Run a peer, warmed."""
    port = free_port()
    with started([node, str(INSTALLED / f"{script}.mjs"), str(port)], core=SERVER_CORE) as pid:
        warm(port)
        yield Served(port, pid, load=(node, str(INSTALLED / "load.mjs"), script))
