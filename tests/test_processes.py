"""Ports for the child processes of tests."""

from __future__ import annotations

import socket
import subprocess
import sys

from tests.processes import PORTS_PER_PROCESS, ROOT, free_port

_PRINT_PORTS = f"""
from tests.processes import free_port
print(*(free_port() for _ in range({PORTS_PER_PROCESS})), flush=True)
input()
"""


def test_two_processes_get_different_ports() -> None:
    own = {free_port() for _ in range(PORTS_PER_PROCESS)}
    with subprocess.Popen(  # noqa: S603 - a test's own arguments
        [sys.executable, "-c", _PRINT_PORTS],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        others = {int(port) for port in other.stdout.readline().split()}
        other.communicate("\n")
    assert own
    assert others
    assert not own & others


def test_a_port_in_use_is_skipped() -> None:
    first = free_port()
    with socket.create_server(("127.0.0.1", first)):
        given = {free_port() for _ in range(2 * PORTS_PER_PROCESS)}
    assert first not in given
    assert first in {free_port() for _ in range(2 * PORTS_PER_PROCESS)}


def test_ports_in_a_row_are_all_free() -> None:
    for _ in range(PORTS_PER_PROCESS):
        following = free_port() + 1
        if not following % PORTS_PER_PROCESS:
            # The first port of the next block may be another process's.
            continue
        try:
            taken = socket.create_server(("127.0.0.1", following))
        except OSError:
            # Something else on this machine has it.
            continue
        with taken:
            first = free_port(3)
            assert following not in range(first, first + 3)
