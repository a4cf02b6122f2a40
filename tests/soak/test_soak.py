"""A short soak, and tests of the soak's parts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import get_args

from redis import Redis

from server.base.core import keys
from server.base.work.metrics import Metrics
from server.results.core import keys as results_keys
from server.results.core.boards import PERIODIC, BoardId, Group, Scope
from server.rooms.core import keys as rooms_keys
from tests.conftest import ALONE
from tests.soak.figures import ALL_TIME, NodeFigures, Sample, kind_of, of_store, parsed
from tests.soak.node import answer, count_objects
from tests.soak.report import line, table
from tests.soak.run import HOLD, KINDS, PAUSE, Settings, planned, run

SECONDS = 4.0


async def test_a_short_soak_loses_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    lines: list[str] = []
    settings = Settings(
        SECONDS, players=12, seed=27, pace=0.1, every=0.5, share=20, kinds=("node restarted",)
    )

    report = await run(settings, tmp_path, lines.append)

    assert report.complaints == [], "\n".join(map(str, report.complaints))
    assert report.counts["entries checked"] > 50
    assert report.counts["fault: node restarted"] > 0
    assert any(" moves/s; " in each for each in lines)
    assert any(each.startswith("node 1: MiB") for each in table(report.course, report.counts))


def test_faults_rotate_and_leave_time_after_the_last() -> None:
    long = planned(1_800.0, 27, KINDS)

    assert [fault.kind for fault in long] == [*KINDS, *KINDS, KINDS[0]]
    assert sum(fault.pause for fault in long) == 1_800.0 - PAUSE
    assert [fault.kind for fault in planned(10.0, 27, KINDS)] == list(KINDS)
    assert HOLD < PAUSE


@ALONE
def test_keys_are_counted_by_kind(redis_url: str) -> None:
    redis = Redis.from_url(redis_url, decode_responses=True)
    redis.xadd(rooms_keys.room("ABCDEFGH"), {"e": "{}"})
    redis.expire(rooms_keys.room("ABCDEFGH"), 90)
    redis.hset(keys.outbox(7), mapping={"one": "{}", "other": "{}"})
    redis.zadd(keys.due(7), {"a:one": 1, "r:other": 2})
    redis.zadd(results_keys.leaderboard(BoardId("wins", "robert", 0, "ranked")), {"ada": 1})
    redis.set("store-format", "1")

    found = of_store([redis])

    assert found.kinds == {"room": 1, "outbox": 1, "due": 1, ALL_TIME: 1, "store-format": 1}
    assert found.lasting == {"outbox": 1, "due": 1, ALL_TIME: 1, "store-format": 1}
    assert 80 < found.lives["room"] <= 90
    assert found.due == {"a": 1, "r": 1}
    assert found.effects == 2
    assert found.memory > 0


def test_longer_lived_keys_have_a_separate_kind() -> None:
    for scope in get_args(Scope):
        kind = "leaderboard" if scope in PERIODIC else ALL_TIME
        for group in get_args(Group):
            assert kind_of(results_keys.leaderboard(BoardId(scope, "robert", 7, group))) == kind
    assert kind_of(keys.BUSY) != kind_of(keys.SWEEPERS)


def test_only_objects_of_our_classes_are_counted(tmp_path: Path) -> None:
    figures = [NodeFigures(0.0, 0, {}) for _ in range(3)]
    held = [Metrics() for _ in range(3)]

    counts = count_objects()

    assert counts["server.base.work.metrics.Metrics"] >= len(held)
    assert not any("NodeFigures" in kind for kind in counts), (
        f"unexpected figures for a node: {figures}"
    )
    (tmp_path / "objects").write_text("collect")
    answer(tmp_path / "objects")
    assert (tmp_path / "objects.json").exists()


def test_a_line_reports_the_changes_since_the_line_before() -> None:
    before, after = Metrics(), Metrics()
    for metrics, moves in ((before, 10), (after, 40)):
        metrics.moves["robert", "played"] += moves
        metrics.refusals["too_fast"] += moves // 10
        metrics.until_answer.observe(0.001)
    after.until_answer.observe(0.15)
    found = [
        NodeFigures(1.0, 1 << 20, parsed(each.exposition("")[0].decode()))
        for each in (before, after)
    ]
    counts = Counter({"sessions": 3})

    told = line(Sample(40.0, {0: found[1]}, None), Sample(30.0, {0: found[0]}, None), counts)
    assert "3.0 moves/s; answers <=0.2/<=0.2 s" in told
    assert "refused {'too_fast': 3}" in told
    assert "3 sessions so far" in told

    again = NodeFigures(2.0, 1 << 20, found[1].metrics)
    assert "4.0 moves/s" in line(
        Sample(40.0, {0: again}, None), Sample(30.0, {0: found[0]}, None), counts
    )
