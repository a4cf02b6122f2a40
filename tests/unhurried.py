"""The command `samedeal`, whose nodes accept everything, however busy the machine is.

Run it as `python -m tests.unhurried`, in tests that are about something else than overload.
"""

from __future__ import annotations

import sys

from server.base.net import load
from server.cli.main import main

load.MAX_LAG = 60.0  # type: ignore[misc]  # a constant of nodes

if __name__ == "__main__":
    main(sys.argv[1:])
