"""The places of overlapping peaks, by row, and how many cards of a pile are dealt face down.

With P peaks, row r, counted from 1 at the top, has P * r places, but the last one, which all peaks
share, has P * (r - 1) + 1. Places are numbered from 0, row by row, from left to right.
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate, count, takewhile
from typing import Final

from engine.schema.rules import Reserve, Tableau

MAX_PEAKS: Final = 4
MAX_PLACES: Final = 30  # of all peaks together


@cache
def rows_of(peaks: int, places: int) -> tuple[int, ...] | None:
    """Return the number of places of each row, from the top; `None` if a row would be incomplete.

    There are at least two rows.
    """
    # The last row has `peaks - 1` places less than it would have if peaks did not share it.
    complete = places + peaks - 1
    totals = takewhile(lambda total: total <= complete, accumulate(peaks * row for row in count(1)))
    rows = [peaks * row for row, _ in enumerate(totals, 1)]
    if len(rows) == 1 or sum(rows) != complete:
        return None
    return (*rows[:-1], rows[-1] - peaks + 1)


def covering_places(tableau: Tableau) -> tuple[tuple[int, ...], ...]:
    """Return for each pile of the tableau the two places of the next row that cover it.

    There are none for the last row, and none at all without peaks.
    """
    if tableau.peaks is None:
        return ((),) * len(tableau.deal)
    rows = rows_of(tableau.peaks, len(tableau.deal))
    assert rows is not None
    found: list[tuple[int, ...]] = []
    start = 0
    for row, size in enumerate(rows[:-1], 1):
        start += size
        is_last = row + 1 == len(rows)
        for place in range(size):
            # Each peak but the first has one place more to its left in the next row, if that is
            # not the shared one.
            left = start + place + (0 if is_last else place // row)
            found.append((left, left + 1))
    return (*found, *[()] * rows[-1])


def dealt_down(part: Tableau | Reserve) -> tuple[int, ...]:
    """Return the number of cards of each pile that are dealt face down."""
    face_up = part.face_up
    if face_up == "all":
        return (0,) * len(part.deal)
    peaks = part.peaks if isinstance(part, Tableau) else None
    if peaks is None:
        return tuple(max(0, dealt - face_up) for dealt in part.deal)
    rows = rows_of(peaks, len(part.deal))
    assert rows is not None
    down = len(rows) - face_up
    return tuple(int(row < down) for row, size in enumerate(rows) for _ in range(size))
