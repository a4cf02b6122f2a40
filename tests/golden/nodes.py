"""Nodes that run the code of another release."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.processes import ROOT, Running, free_port, running


def copied(folder: Path) -> Path:
    for package in ("engine", "server"):
        shutil.copytree(ROOT / package, folder / package, ignore=lambda *_: {"__pycache__"})
    return folder


def change(file: Path, before: str, after: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.count(before) == 1, (file, before)
    file.write_text(text.replace(before, after), encoding="utf-8")


def environment(code: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(code), "PYTHONSAFEPATH": "1"}


@contextmanager
def node_of(code: Path, redis_url: str) -> Iterator[tuple[Running, int]]:
    """Run a node with the code in a folder, and yield its process and port."""
    port = free_port()
    command = [sys.executable, "-m", "server", "serve", "--host", "127.0.0.1"]
    command += ["--port", str(port), "--redis", redis_url, "--log-format", "json"]
    command += ["--replica-acks", str(int("+cluster" in redis_url))]
    with running(command, environment(code)) as node:
        node.wait_for("listening")
        yield node, port
