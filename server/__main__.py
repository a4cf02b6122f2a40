"""The command `samedeal`, also as `python -m server`.

Importing the server takes a second. Until then, Ctrl-C has its default effect, so that it ends the
process without a traceback from a random module.
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
