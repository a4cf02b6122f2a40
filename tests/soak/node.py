"""A node of the fault suite that also reports its object counts.

python -m tests.soak.node --objects FILE OPTIONS

OPTIONS are the options of `tests.faults.node`. On SIGUSR2 the node reads FILE; if it contains
`collect`, the node collects all garbage first. It writes to `FILE.json` the number of objects known
to the garbage collector, for each of our classes.
"""

from __future__ import annotations

import argparse
import gc
import json
import signal
import sys
from collections import Counter
from pathlib import Path

from tests.faults import node

OURS = ("server", "engine")
"""The packages whose objects are counted."""

COLLECT = "collect"


def count_objects() -> Counter[str]:
    """Return the number of objects by class name.

    Objects from the node's startup are frozen (`gc.freeze`) and not counted.
    """
    counts = Counter(map(type, gc.get_objects()))
    ours: Counter[str] = Counter()
    for kind, count in counts.items():
        if str(kind.__module__).partition(".")[0] in OURS:
            ours[f"{kind.__module__}.{kind.__qualname__}"] += count
    return ours


def answer(file: Path) -> None:
    if file.read_text() == COLLECT:
        gc.collect()
    whole = file.with_suffix(".part")
    whole.write_text(json.dumps(count_objects()))
    whole.replace(file.with_suffix(".json"))


def main() -> None:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--objects", type=Path, required=True)
    given, sys.argv[1:] = parser.parse_known_args()
    signal.signal(signal.SIGUSR2, lambda *_: answer(given.objects))
    node.main()


if __name__ == "__main__":
    main()
