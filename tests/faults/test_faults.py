"""Killing nodes and stores in races loses no acknowledged move, except on a broken server.

The broken server tests that the suite detects a loss.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.injection import WEIGHTS, planned, weights_in
from tests.faults.run import Report, Settings, run, table

SEED = 20_021


async def report_of(folder: Path, **settings: object) -> Report:
    given = {"seed": SEED, "players": 20, "pace": 0.15, "share": 20, "finish": 25.0} | settings
    return await run(Settings(**given), folder, lambda _: None)  # type: ignore[arg-type]


async def test_no_entry_is_lost_duplicated_or_invented(tmp_path: Path) -> None:
    for seed in range(SEED, SEED + 3):
        report = await report_of(tmp_path, faults=25, pause=0.3, seed=seed)

        assert report.complaints == [], "\n".join(table(report))
        assert report.counts["entries checked"] > 50
        # On a busy machine, possibly no player returns in time to miss a move.
        if report.counts["missed events"] > 0:
            return
    pytest.fail("no player missed a move")


@pytest.mark.cluster
async def test_no_entry_is_lost_duplicated_or_invented_in_a_cluster(tmp_path: Path) -> None:
    report = await report_of(tmp_path, faults=20, pause=0.5, redis="cluster")

    assert report.complaints == [], "\n".join(table(report))
    assert report.counts["entries checked"] > 50


async def test_acknowledging_before_appending_is_detected(tmp_path: Path) -> None:
    report = await report_of(
        tmp_path,
        faults=2,
        pause=2.0,
        finish=0.0,
        broken=True,
        kinds=("Redis held and nodes killed",),
    )

    lost = [c for c in report.complaints if c.kind == "lost" and "moved" in c.text]
    assert lost, "\n".join(table(report))


async def test_killing_the_private_store_of_two_workers_loses_nothing(tmp_path: Path) -> None:
    store = {"redis": "private", "workers": 2, "kinds": ("private store killed",)}
    report = await report_of(tmp_path, players=8, share=60, faults=2, pause=1.0, **store)

    assert report.complaints == [], "\n".join(table(report))
    assert report.counts["fault: private store killed"] == 2
    assert report.counts["entries checked"] > 20


@pytest.mark.parametrize(
    ("redis", "workers", "more", "less"),
    [
        ("alone", 1, set(), set()),
        ("cluster", 1, {"slot moved"}, set()),
        ("private", 1, {"private store killed"}, {"Redis killed"}),
        ("private", 2, {"private store killed"}, {"Redis killed", "clock jump"}),
    ],
)
def test_the_seed_determines_a_plan_of_every_kind_of_fault(
    redis: str, workers: int, more: set[str], less: set[str]
) -> None:
    weights = weights_in(redis, workers)
    faults = planned(100, SEED, 1.0, weights)

    assert faults == planned(100, SEED, 1.0, weights)
    assert faults != planned(100, SEED + 1, 1.0, weights)
    assert len(faults) == 100
    assert {fault.kind for fault in faults} == (WEIGHTS.keys() | more) - less
