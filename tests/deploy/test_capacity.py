"""`deploy/CAPACITY.md`: its tables follow from recorded sizes, and those from measurements."""

from __future__ import annotations

import re

import pytest

from deploy.bench import capacity, node, sizing
from deploy.bench.sizing import Site
from server.base.core.memory_level import FROM
from server.deals import store as deals_store

PAGE = sizing.DOCUMENT.read_text(encoding="utf-8")

SHIPPED = 2**30 * FROM["filling"]
"""Bytes of data that fit with `maxmemory 1gb` before new games are refused."""


def test_the_tables_follow_from_the_formulas() -> None:
    assert sizing.with_tables(PAGE) == PAGE
    assert set(re.findall(r"<!-- (\w+) -->\n\|", PAGE)) == set(sizing.TABLES)


def test_the_figures_in_sentences_follow_from_the_formulas() -> None:
    text = " ".join(PAGE.split())
    site = Site(10_000)
    assert f"{sizing.move_us():.0f} µs of a core" in text
    assert f"a visit {sizing.visit_us() / 1000:.1f} ms" in text
    assert (
        f"a move's p99 was {sizing.result('10,000 players at one move in two seconds'):.0f} ms"
        in text
    )
    assert f"room for {SHIPPED / 1e9:.2f} GB" in text
    assert (
        f"{50 * int(SHIPPED / (site.data / site.players) / 50)} players a day indefinitely" in text
    )
    # The current day, and two more days.
    spare = Site(10_000, 3).data / 10_000
    assert f"{50 * int(SHIPPED / spare / 50):,} players a day indefinitely" in text
    assert (
        f"write {sizing.size_text(site.day)} a day, which fills it in {SHIPPED / site.day:.1f} days"
        in text
    )
    assert f"takes {sizing.costs()['file']['rewritten']} bytes" in text


def test_fewer_days_take_less_and_more_players_more() -> None:
    for players in sizing.PLAYERS:
        kept = [Site(players, days).data for days in sizing.DAYS]
        assert kept == sorted(kept, reverse=True)
        assert Site(10 * players).data == pytest.approx(10 * Site(players).data)
    assert Site(10_000, 7).journals == pytest.approx(Site(10_000, 90).journals * 7 / 90)
    assert [Site(players).shards for players in (1_000, 100_000)] == [1, 10]
    assert Site(1).nodes == 2, "one may be away"


def test_sizes_have_two_digits() -> None:
    sizes = {
        940: "940 bytes",
        2_449_000: "2.4 MB",
        23.9e9: "24 GB",
        999.6e6: "1.0 GB",
        3e12: "3.0 TB",
    }
    assert {size: sizing.size_text(size) for size in sizes} == sizes


async def test_the_recorded_sizes_are_those_in_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow a deviation of a sixth for the few items here.

    `capacity --write` records the sizes anew.
    """
    monkeypatch.setattr(deals_store, "secrets", node.FixedSeed)
    monkeypatch.setattr(capacity, "COUNT", 40)
    monkeypatch.setattr(capacity, "LENGTHS", (100,))
    monkeypatch.setattr(capacity, "CHALLENGERS", (2,))
    async with capacity.alone() as (services, redis):
        kept = await capacity.measure(services, redis)
        file = await capacity.file_costs(services, redis)
    # Games are most of the data; 40 of the other kinds are too few to measure.
    game = f"a daily with {sizing.MOVES} moves"
    assert kept[game] == pytest.approx(sizing.kept(game), rel=1 / 6)
    recorded = sizing.costs()["file"]
    for cost in ("appended", "rewritten"):
        assert file[cost] == pytest.approx(recorded[cost], rel=1 / 6)
