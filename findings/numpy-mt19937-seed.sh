#!/bin/sh
# NumPy 2.4.6: `RandomState(24)` and Python's `random.Random(24)` are the same generator with the same
# seed, and yield different numbers; `RandomState([24])` yields Python's.
#
# One would expect equal streams: both are MT19937 (Mersenne Twister), and both make a double of 53
# bits from two outputs. But MT19937 has two ways to be seeded. NumPy takes a number for the first
# state, and a list for a key; Python always takes the 32-bit words of the number for a key. Deals
# that are shuffled with Python's generator, such as PySolFC's, need the list, also for small numbers.
#
# Observed: for 24, 32000 and 2^32 - 1 the first numbers differ, and with a list of the number's words
# they are equal, also for 12345678901234567890.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv" || exit 2
"$folder/venv/bin/pip" install -q --disable-pip-version-check numpy==2.4.6 || exit 2
"$folder/venv/bin/python" - <<'PYTHON'
import random

import numpy as np


def words(number: int) -> list[int]:
    found = [number & 0xFFFFFFFF]
    while number := number >> 32:
        found.append(number & 0xFFFFFFFF)
    return found


def firsts(draw) -> list[float]:
    return [float(draw()) for _ in range(5)]


for number in (24, 32_000, 2**32 - 1):
    ours = firsts(random.Random(number).random)
    plain = firsts(np.random.RandomState(number).random_sample)
    listed = firsts(np.random.RandomState(words(number)).random_sample)
    print(f"NumPy {np.__version__}, {number}: {plain[0]:.6f}, as a list {listed[0]:.6f}, Python {ours[0]:.6f}")
    assert plain != ours
    assert listed == ours
great = 12_345_678_901_234_567_890
assert firsts(np.random.RandomState(words(great)).random_sample) == firsts(random.Random(great).random)
PYTHON
