"""Check secrecy with many scripts: `make secrecy`; see `python -m tests.secrecy --help`."""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from collections import Counter

from tests.secrecy.clients import script_of
from tests.secrecy.law import LeakError, check
from tests.simulation.race import conditions


def main() -> int:
    """Check scripts and return 1 if one fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.secrecy", description=__doc__)
    parser.add_argument("--scripts", type=int, default=500, help="how many")
    parser.add_argument("--steps", type=int, default=50, help="steps per script")
    parser.add_argument(
        "--seed", type=int, help="seed of the first script; later scripts count up from it"
    )
    given = parser.parse_args()
    first = secrets.randbelow(1 << 31) if given.seed is None else given.seed
    _print(f"seeds from {first}, {given.scripts} scripts of {given.steps} steps")
    counts: Counter[str] = Counter()
    begun = time.monotonic()
    with conditions():
        for seed in range(first, first + given.scripts):
            try:
                check(script_of(seed, given.steps), counts)
            except LeakError as error:
                _print(f"seed {seed} fails: {error}")
                _print(f"replay: --scripts 1 --steps {given.steps} --seed {seed}")
                return 1
    _print(f"{'seconds':<44}{time.monotonic() - begun:>9.0f}")
    for name in sorted(counts):
        _print(f"{name:<44}{counts[name]:>9}")
    _print("\nNothing sent to a client depended on cards that the client had not seen.")
    return 0


def _print(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - a command's output


if __name__ == "__main__":
    sys.exit(main())
