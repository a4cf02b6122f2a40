"""The garbage collector's settings, which belong to the process of a node and not to the node."""

from __future__ import annotations

import gc

THRESHOLDS = 2_000, 5, 400
"""Net new objects that start a collection of the youngest generation, and how many collections of a
generation start one of the next (`gc.set_threshold`).

A move leaves no cyclic garbage. With the default thresholds, a few hundred moves in flight were
enough to start collections again and again, which took a tenth of a node's time. With 50,000, one
that came while many connected was a pause of up to 80 ms for all who play. All objects are looked
at after four million new ones.
"""


def spare_collections() -> None:
    """Collect garbage seldom, and exclude what exists now: it lives as long as the process."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
