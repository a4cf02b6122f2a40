"""Compare the solver with other programs; see the package."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Final

from deploy.peers.comparison import compare, page
from deploy.peers.rows import ROWS
from deploy.solving import SOLVER
from engine.solver import Verdict

RESULTS: Final = SOLVER / "PEERS.md"


def main() -> int:
    """Measure, print and write the table; the exit status is 1 if the solver lost a won deal."""
    parser = argparse.ArgumentParser(prog="python -m deploy.peers", description=__doc__)
    names = [row.id for row in ROWS]
    parser.add_argument("--rows", nargs="+", choices=names, default=names, metavar="ROW")
    parser.add_argument("--output", type=Path, help=f"output file, of all rows {RESULTS.name}")
    options = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    found = []
    for row in ROWS:
        if row.id in options.rows:
            sys.stderr.write(f"{row.title} ...\n")
            found.append(compare(row))
    text = page(found)
    output = options.output or (RESULTS if options.rows == names else None)
    if output:
        output.write_text(text, encoding="utf-8")
    sys.stdout.write(text)
    return int(any(each.contradictions(Verdict.IMPOSSIBLE) for each in found))


if __name__ == "__main__":
    sys.exit(main())
