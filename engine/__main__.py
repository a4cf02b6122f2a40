"""`python -m engine` runs the driver on standard input; with `rules` it prints rulesets as JSON."""

from __future__ import annotations

import io
import json
import sys

from engine.catalog import exported
from engine.driver import run


def main(arguments: list[str]) -> int:
    """Run the driver until the input ends, or print the rulesets; return the exit status."""
    if arguments == ["rules"]:
        json.dump(exported(), sys.stdout, indent=1)
        sys.stdout.write("\n")
        return 0
    if arguments:
        sys.stderr.write("usage: python -m engine [rules]\n")
        return 2
    lines = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")
    for answer in run(lines):
        sys.stdout.write(answer + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
