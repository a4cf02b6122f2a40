"""Ports for the child processes of tests."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

from tests.processes import PATIENCE, PORTS_PER_PROCESS, ROOT, free_port, is_alive, running

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
            # The first port of the next block may belong to another process.
            continue
        try:
            taken = socket.create_server(("127.0.0.1", following))
        except OSError:
            # Another program on this machine uses it.
            continue
        with taken:
            first = free_port(3)
            assert following not in range(first, first + 3)


def test_a_forked_node_prints_and_exits_like_any_other() -> None:
    """It has its own arguments, environment and folder."""
    program = "import os, sys; print(os.getcwd(), os.environ, sys.argv[1:]); sys.exit(3)"
    env = {"ONLY": "this"}
    with running([sys.executable, "-c", program, "a", "b"], env, Path("/"), forked=True) as node:
        assert node.wait_for("this") == "/ environ({'ONLY': 'this'}) ['a', 'b']\n"
        assert node.process.wait(PATIENCE) == 3
        assert node.process.poll() == 3


def test_a_forked_node_is_terminated_and_killed() -> None:
    waiting = "import signal; print('waiting', flush=True); signal.pause()"
    for end, status in (("terminate", -signal.SIGTERM), ("kill", -signal.SIGKILL)):
        with running([sys.executable, "-c", waiting], forked=True) as node:
            node.wait_for("waiting")
            assert node.process.poll() is None
            assert is_alive(node.process.pid)
            getattr(node.process, end)()
            assert node.process.wait(PATIENCE) == status
            assert not is_alive(node.process.pid)


def test_a_forked_node_gets_the_same_arguments_as_the_command() -> None:
    with running([sys.executable, "-m", "server", "serve", "--nothing"], forked=True) as node:
        assert node.process.wait(PATIENCE) == 2
        assert "No such option" in node.wait_for("--nothing")
