"""The two streams of a watched round: each entry at its time, and a bounded queue."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from server.play.core.attempt import Attempt
from server.watching import watching
from server.watching.watching import WatchedEntry, _Stream
from tests.builders import START, begun

DELAY = 50


def entries_at(times: list[int]) -> list[WatchedEntry]:
    found: list[WatchedEntry] = []
    state: Attempt | None = None
    for seq, time in enumerate(times, 1):
        after = structs.replace(begun(), seq=seq, at=START + time)
        found.append(WatchedEntry(1, 0, state, after))
        state = after
    return found


moments = st.lists(st.integers(0, 200), min_size=1, max_size=40).map(sorted)


@given(times=moments, looks=moments, most=st.integers(1, 5))
def test_entries_are_seen_once_and_in_time(times: list[int], looks: list[int], most: int) -> None:
    stream, entries = _Stream(1, DELAY), entries_at(times)
    seen: list[WatchedEntry] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(watching, "MAX_WAITING", most)
        for entry in entries:
            stream.add(entry)
            assert len(stream.waiting[0]) <= most
        for look in [*looks, 1_000]:
            found = stream.take_due(START + look)
            assert all(entry.at + DELAY <= START + look for entry in found)
            seen += found
            following = stream.next_at()
            assert following is None or following > START + look
    # Merged or not, each entry follows the one before, up to the last.
    assert seen[0].before is None
    assert all(one.after is two.before for one, two in pairwise(seen))
    assert seen[-1].after is entries[-1].after is stream.boards[0]
    assert len(seen) == min(len(entries), most)


@given(times=moments, now=st.integers(0, 300))
def test_only_past_entries_are_visible_at_first(times: list[int], now: int) -> None:
    stream, entries = _Stream(1, DELAY), entries_at(times)
    stream.begin(entries, START + now)
    past = [entry for entry in entries if entry.at + DELAY <= START + now]
    assert stream.boards[0] is (past[-1].after if past else None)
    assert list(stream.waiting[0]) == entries[len(past) :]
