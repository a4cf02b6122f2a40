"""Quotas: how much an address may store, and how long it counts."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.base.core.quota import (
    ADDRESS_PLAYERS,
    DAY,
    HOUR,
    KEPT_DAYS,
    MINUTE,
    PARTS,
    PLAYER_BYTES,
    RUNNER,
    Item,
    counted_until,
    days_kept,
    quota_of,
)
from server.base.quotas import quotas
from server.players.core import charges as players_charges
from server.rooms.core import charges as rooms_charges

MB, GB = 10**6, 10**9
NOW = 1_800_000_000_000


@pytest.mark.parametrize(
    ("players", "limit", "address", "wide"),
    [
        (250, 0, 80 * MB, 320 * MB),
        (250, GB, 80 * MB, 160 * MB),
        (250, 16 * MB, 1_280_000, 2_560_000),
        (5, GB, 1_600_000, 6_400_000),
        (500, GB, 160 * MB, 320 * MB),
        (10_000, GB, GB, GB),
    ],
)
def test_an_address_may_use_only_a_share_of_the_store(
    players: int, limit: int, address: int, wide: int
) -> None:
    assert quota_of(players, limit, wide=False) == address
    assert quota_of(players, limit, wide=True) == wide
    assert PLAYER_BYTES * ADDRESS_PLAYERS == 80 * MB
    assert PARTS["room"] < PARTS["game"] < PARTS["any"] == 1


@given(st.integers(0, 400 * DAY), st.integers(0, 10 * DAY))
def test_stored_bytes_count_until_they_expire_and_not_much_longer(life: int, later: int) -> None:
    now = NOW + later
    until = counted_until(now, life)
    assert 0 <= until - (now + life) <= max(5 * MINUTE, life)


@given(st.lists(st.tuples(st.integers(0, 30 * DAY), st.integers(0, 400 * DAY)), max_size=300))
def test_an_address_has_few_expiry_times(items: list[tuple[int, int]]) -> None:
    """Check at the end of a month, for items stored at any time and with any lifetime."""
    now = NOW + 30 * DAY
    found = {counted_until(NOW + at, life) for at, life in items}
    assert len({until for until in found if until > now}) <= 100


def test_games_are_kept_for_fewer_days_when_more_is_stored() -> None:
    days = [days_kept(percent / 100) for percent in range(120)]
    assert days == [KEPT_DAYS] * 25 + [7] * 9 + [2] * 86


def test_a_school_playing_every_day_is_never_refused_a_room() -> None:
    """200 pupils at one address each play three games on every school day."""
    of_address = quota_of(250, GB, wide=False)
    stored = Counter[int]()
    share, pupils, seats, games, moves = 0.0, 200, 8, 3, 120
    for day in range(400):
        if day % 7 > 4:
            continue
        now = NOW + day * DAY
        stored = Counter({until: size for until, size in stored.items() if until > now})
        round_ = (rooms_charges.USED_ROOM, rooms_charges.ROUND, Item(RUNNER * seats, 2 * HOUR))
        game = Item(quotas.PLAYED + moves * quotas.ENTRY_BYTES, days_kept(share) * DAY)
        for items, count in (
            (players_charges.GUEST, pupils),
            (rooms_charges.ROOM, pupils // seats),
            (round_, pupils * games // seats),
            ([game], pupils * games),
        ):
            for size, life in items:
                stored[counted_until(now, life)] += size * count
        share = sum(stored.values()) / of_address
        assert share < PARTS["room"], day
