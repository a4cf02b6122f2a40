#!/bin/sh
# pysol-cards 0.24.0: `copy()` of a Mersenne Twister has the seed of the original, and other numbers.
#
# One would expect a copy that goes on as the original does, as the copy of the classic generator
# (`LCRandom31`) does. `MTRandom.copy()` makes a generator that is seeded with the time, and then
# copies the attributes, among which the state is not: it belongs to Python's `random.Random`. The
# copy names the original's number, and shuffles another deal.
#
# Observed: the classic generator's copy continues with the same number; the copy of `MTRandom(24)`
# has the same `initial_seed` and string, and its next numbers differ in ten of ten attempts.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv" || exit 2
"$folder/venv/bin/pip" install -q --disable-pip-version-check pysol-cards==0.24.0 || exit 2
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

from pysol_cards.random import LCRandom31, MTRandom

classic = LCRandom31(24)
copied = classic.copy()
assert [classic.random() for _ in range(5)] == [copied.random() for _ in range(5)]

same = 0
for _ in range(10):
    original = MTRandom(24)
    copied = original.copy()
    assert (copied.initial_seed, str(copied)) == (24, str(original))
    same += original.random() == copied.random()
print(f"pysol-cards {version('pysol-cards')}: {same} of 10 copies go on as the original does")
assert same == 0
PYTHON
