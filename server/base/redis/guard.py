"""A process that runs a server for as long as its own standard input is open.

The node holds the other end: it ends the server by closing that, and when the node is killed, the
kernel closes it. That works on every Unix, and whatever killed the node.

Usage: `python -I -S guard.py PROGRAM ARGUMENT...`. It exits as the server does; if a signal ended
that, with 128 and the signal's number. It imports nothing of ours, so that it starts in 30 ms.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress

END_WITHIN = 20.0
"""Seconds from SIGTERM until a server that still runs is killed."""


def main(arguments: list[str]) -> int:
    """Run a program until it ends, and return the exit code."""
    # Who stops a service may signal all its processes at once; the server ends after the node. A
    # handler and not SIG_IGN, which the server would inherit.
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    # The server's files hold secrets, and the directory may be one that others can enter.
    os.umask(0o077)
    # The server inherits the lock on the data as well, and so holds it even without this process.
    server = subprocess.Popen(  # noqa: S603 - the node's arguments
        arguments, stdin=subprocess.DEVNULL, close_fds=False, start_new_session=True
    )
    threading.Thread(target=_end_with_node, args=(server,), daemon=True).start()
    code = server.wait()
    # A copy of it may still be writing its file anew, for nobody, and holds the lock.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(server.pid, signal.SIGKILL)
    return code if code >= 0 else 128 - code


def _end_with_node(server: subprocess.Popen[bytes]) -> None:
    while os.read(0, 1):
        pass
    server.terminate()
    try:
        server.wait(END_WITHIN)
    except subprocess.TimeoutExpired:
        server.kill()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
