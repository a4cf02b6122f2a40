"""A node's notifications to systemd: readiness, and the watchdog."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import PATIENCE, running
from tests.test_cli import serve_command


@pytest.fixture
def manager(data: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(data / "notify"))
        manager.settimeout(PATIENCE)
        yield manager


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_service_manager_gets_readiness_and_watchdog_messages(
    data: Path, manager: socket.socket, workers: str
) -> None:
    told = {"NOTIFY_SOCKET": str(data / "notify"), "WATCHDOG_USEC": "200000"}
    with running(serve_command(data, "--workers", workers), os.environ | told) as server:
        assert manager.recv(100) == b"READY=1"
        server.wait_for('"listening"' if workers == "1" else '"workers_ready"')
        for _ in range(3):
            assert manager.recv(100) == b"WATCHDOG=1"
        server.process.send_signal(signal.SIGSTOP)
        try:
            # Earlier messages are received immediately.
            manager.settimeout(1.0)
            with pytest.raises(TimeoutError):
                _receive_until_silent(manager)
        finally:
            server.process.send_signal(signal.SIGCONT)
        assert server.end() == 0


def test_a_node_serves_without_a_listening_service_manager(data: Path) -> None:
    told = {"NOTIFY_SOCKET": str(data / "nobody"), "WATCHDOG_USEC": "200000"}
    with running(serve_command(data), os.environ | told) as server:
        server.wait_for('"listening"')
        assert server.end() == 0


def _receive_until_silent(manager: socket.socket) -> None:
    """Receive the watchdog's messages.

    Raises:
        TimeoutError: no more messages arrive.
    """
    while True:
        assert manager.recv(100) == b"WATCHDOG=1"
