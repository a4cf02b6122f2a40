"""Keeps its core from idling, at the lowest priority, so that it takes time from no other process.

    python -m deploy.bench.awake

To wake a process on a virtual processor that idles takes its host up to 10 ms, one time in a
hundred. Whoever is measured would pay for that with each write that an attack causes.
"""

from __future__ import annotations

import os


def idle_priority() -> None:
    """Let this process run only while nothing else would on its core."""
    if hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    else:
        os.nice(19)


if __name__ == "__main__":
    idle_priority()
    while True:
        pass
