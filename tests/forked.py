"""Nodes forked from a process that has already imported their modules.

Importing takes most of a node's start, more than a second of processor time. Tests of pages and of
proxies start nodes this way; tests of the command start it as users do.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).parents[1]

_REQUEST = 1 << 16
"""Bytes read of a request at a time; a request is a line of JSON."""


class Forked:
    """A node, with the attributes and methods of `subprocess.Popen` that tests use.

    Args:
        args: Python, `-m` and a module or `-c` and a program, and arguments.
        cwd: the working directory.
        env: its environment, or `None` for this process's.
        output: the output file, with its own session, or `None` for `stdout`.
    """

    def __init__(
        self,
        args: Sequence[str],
        cwd: Path = ROOT,
        env: Mapping[str, str] | None = None,
        *,
        output: IO[bytes] | None = None,
    ) -> None:
        self.args = args
        self.returncode: int | None = None
        self.stdout: IO[str] | None = None
        status, its_status = os.pipe()
        if output is None:
            printed, its_output = os.pipe()
            self.stdout = os.fdopen(printed)
        else:
            its_output = os.dup(output.fileno())
        wanted = [
            list(args[1:]),
            dict(os.environ if env is None else env),
            str(cwd),
            output is not None,
        ]
        request = json.dumps(wanted).encode() + b"\n"
        sent = socket.send_fds(_parent(), [request], [its_output, its_status])
        _parent().sendall(request[sent:])
        for descriptor in (its_output, its_status):
            os.close(descriptor)
        self._status = os.fdopen(status)
        self.pid = int(self._status.readline())

    def poll(self) -> int | None:
        """Return the exit status if it has exited."""
        try:
            return self.wait(0.0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the exit, and return the exit status.

        Raises:
            subprocess.TimeoutExpired: it has not exited after `timeout` seconds.
        """
        if self.returncode is None:
            if not _is_readable(self._status, timeout):
                raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
            self.returncode = int(self._status.readline())
            self._status.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has exited."""
        if self.poll() is None:
            # It may have exited since.
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """Send it SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send it SIGKILL."""
        self.send_signal(signal.SIGKILL)


def _is_readable(stream: IO[str], timeout: float | None) -> bool:
    return bool(select.select([stream], [], [], timeout)[0])


@cache
def _parent() -> socket.socket:
    """Start the process that forks nodes, and return its request socket."""
    ours, its = socket.socketpair()
    with its:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter
            [sys.executable, "-m", "tests.forked", str(its.fileno())],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            pass_fds=[its.fileno()],
        )

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def main(descriptor: int) -> None:
    """Fork a node for each request on a socket, until the other end is closed."""
    import_module("server.cli.main")
    gc.freeze()
    with socket.socket(fileno=descriptor) as requests:
        # It ends with the tests by itself, and waits for no children.
        for number in (signal.SIGINT, signal.SIGCHLD):
            signal.signal(number, signal.SIG_IGN)
        while True:
            data, descriptors, _, _ = socket.recv_fds(requests, _REQUEST, 2)
            if not data:
                return
            while not data.endswith(b"\n"):
                data += requests.recv(_REQUEST)
            if not os.fork():
                break
            for each in descriptors:
                os.close(each)
    _fork(json.loads(data), *descriptors)


def _fork(wanted: list[Any], output: int, status: int) -> None:
    """Fork a node, and report its process id and later its exit status."""
    args, env, cwd, is_apart = wanted
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if pid := os.fork():
        os.close(output)
        # A terminal signals this process, too.
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        os.write(status, f"{pid}\n".encode())
        _, ended = os.waitpid(pid, 0)
        os.write(status, f"{os.waitstatus_to_exitcode(ended)}\n".encode())
        os._exit(0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.close(status)
    if is_apart:
        os.setsid()
    for standard in (1, 2):
        os.dup2(output, standard)
    os.close(output)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    _run(*args)


def _run(option: str, program: str, *args: str) -> None:
    """Run a module or a program as Python would with these arguments."""
    sys.argv = [option, *args]
    if option == "-m":
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    else:
        exec(program, {"__name__": "__main__"})  # noqa: S102 - a test's own program


if __name__ == "__main__":
    main(int(sys.argv[1]))
