"""The command `samedeal`, also as `python -m server`.

Importing the rest takes a second. Until that is done nothing has begun, so Ctrl-C ends the process
at once, as it does any program, without a traceback from inside some module.
"""

from __future__ import annotations

import signal


def main() -> None:
    """Run the command."""
    handler = signal.getsignal(signal.SIGINT)
    interruptible = handler is signal.default_int_handler
    if interruptible:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from server.cli.main import main as samedeal  # noqa: PLC0415 - see above

    if interruptible:
        signal.signal(signal.SIGINT, handler)
    samedeal()


if __name__ == "__main__":
    main()
