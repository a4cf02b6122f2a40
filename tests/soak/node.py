"""The node of a soak: that of the fault suite, which also says what objects it has.

    python -m tests.soak.node --objects FILE OPTIONS

OPTIONS are those of `tests.faults.node`. On SIGUSR2, FILE is read: with `collect` in it, all
garbage is collected first. The answer is `FILE.json`: how many objects there are of each of our
classes that the garbage collector knows.
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
    """Return the numbers of objects by the names of their classes.

    What was there when the node had started is not among them: it is frozen (`gc.freeze`).
    """
    counts = Counter(map(type, gc.get_objects()))
    ours: Counter[str] = Counter()
    for kind, count in counts.items():
        if str(kind.__module__).partition(".")[0] in OURS:
            ours[f"{kind.__module__}.{kind.__qualname__}"] += count
    return ours


def answer(file: Path) -> None:
    """Answer what is asked in a file."""
    if file.read_text() == COLLECT:
        gc.collect()
    whole = file.with_suffix(".part")
    whole.write_text(json.dumps(count_objects()))
    whole.replace(file.with_suffix(".json"))


def main() -> None:
    """Run the node until it is signalled to end."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--objects", type=Path, required=True)
    given, sys.argv[1:] = parser.parse_known_args()
    signal.signal(signal.SIGUSR2, lambda *_: answer(given.objects))
    node.main()


if __name__ == "__main__":
    main()
