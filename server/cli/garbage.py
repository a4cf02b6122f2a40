"""Settings of the garbage collector, which apply to the whole process."""

from __future__ import annotations

import gc

THRESHOLDS = 2_000, 5, 400
"""The collector's thresholds, see `gc.set_threshold`.

Net new objects per collection of the youngest generation, then collections of a generation per
collection of the next. A move leaves no cyclic garbage. With the default thresholds, a few hundred
moves in flight triggered constant collections, which took a tenth of a node's time. With 50,000, a
collection during a surge of connections paused all players for up to 80 ms. With these, a full
collection happens every four million new objects.
"""


def tune_collector() -> None:
    """Collect garbage rarely, and exempt all current objects, which live as long as the process."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
