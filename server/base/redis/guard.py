"""A process that runs a server until its own standard input is closed.

The node holds the other end. It ends the server by closing it, and the kernel closes it if the node
is killed. This works on every Unix, however the node ends.

Usage: `python -I -S guard.py PROGRAM ARGUMENT...`. The exit code is the server's, or 128 plus the
number of the signal that ended it. The guard imports only the standard library, and starts in 30
ms.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress

END_WITHIN = 20.0
"""Seconds between SIGTERM and SIGKILL."""


def main(arguments: list[str]) -> int:
    """Run a program until it ends, and return the exit code."""
    # A service manager may signal all processes of the service together, but the server must end
    # after the node. SIG_IGN would be inherited by the server; a handler is not.
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    # The server's files hold secrets, and other users may be able to enter the directory.
    os.umask(0o077)
    # The server also inherits the lock on the data, and so holds it even without this process.
    server = subprocess.Popen(  # noqa: S603 - the node's arguments
        arguments, stdin=subprocess.DEVNULL, close_fds=False, start_new_session=True
    )
    threading.Thread(target=_stop_with_node, args=(server,), daemon=True).start()
    code = server.wait()
    # A forked copy of it may still be rewriting the file, and holds the lock.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(server.pid, signal.SIGKILL)
    return code if code >= 0 else 128 - code


def _stop_with_node(server: subprocess.Popen[bytes]) -> None:
    # The end of input means that the node stops the server, or has ended.
    while os.read(0, 1):
        pass
    server.terminate()
    try:
        server.wait(END_WITHIN)
    except subprocess.TimeoutExpired:
        server.kill()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
