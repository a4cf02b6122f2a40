"""Reports, and the operators' list of cases."""

from __future__ import annotations

import asyncio

import pytest

from server.base.core.ids import PACE_BOT, PlayerId
from server.base.core.refusal import Refusal
from server.moderation import cases
from server.moderation.cases import Case
from server.moderation.core import keys
from server.moderation.core.suspicion import Reason, Suspicion
from server.moderation.operators import By
from tests.builders import ADA, BOB, CYD, refusal_from
from tests.nodes import BEGUN, Node, attempt_of

BY = By("mod", "looked at")


async def named(node: Node, *players: PlayerId) -> None:
    for player in players:
        await node.services.identity.rename(player, f"Name {player[:4]}")


async def listed(node: Node, **filters: object) -> list[Case]:
    return (await node.services.operators.cases(50, **filters)).cases  # type: ignore[arg-type]


async def suspect(node: Node, name: str, at: int, day: int | None = None) -> None:
    found = Suspicion(name, CYD, "robert", day, at, (Reason(3, "Too fast."),))
    await node.services.suspicions._add(name, found)


async def test_a_repeated_report_is_stored_once(node: Node, other: Node) -> None:
    await named(node, ADA)
    for each in (node, other, node):
        await each.services.reports.add(BOB, "name", ADA)
    (case,) = await listed(node)
    assert (case.kind, case.player, case.weight, case.reports) == ("report", ADA, 1, {"name": 1})
    assert case.name.startswith("Name ")


async def test_concurrent_reports_all_count(node: Node, other: Node) -> None:
    await named(node, ADA)
    crowd = [PlayerId(f"{number:016}") for number in range(5)]
    await asyncio.gather(
        *(
            each.services.reports.add(player, "cheating", ADA)
            for each, player in zip([node, other] * 3, crowd, strict=False)
        )
    )
    assert (await listed(node))[0].reports == {"cheating": 5}


async def test_a_kept_identity_weighs_more_than_guests(node: Node) -> None:
    await named(node, ADA)
    await node.services.histories.keep(BOB, 1)
    for player in (BOB, CYD, PlayerId("g" * 16)):
        await node.services.reports.add(player, "name", ADA)
    assert (await listed(node))[0].weight == 2


@pytest.mark.parametrize("player", [BOB, PACE_BOT, PlayerId("nobody"), PlayerId("z" * 16)])
async def test_oneself_bots_and_strangers_cannot_be_reported(node: Node, player: PlayerId) -> None:
    await named(node, BOB)
    assert await refusal_from(node.services.reports.add(BOB, "other", player)) == "unknown_player"
    assert await node.keys("{suspicious}:*") == []


async def test_a_run_is_reported_once_its_deal_is_closed(node: Node) -> None:
    room, _ = await node.race_of(ADA, BOB)
    node.clock.time = BEGUN
    attempt = attempt_of(room, ADA)
    with pytest.raises(Refusal, match="deal_open"):
        await node.services.reports.add(BOB, "cheating", ADA, attempt)
    for player in (ADA, BOB):
        await node.play_out(attempt_of(room, player), player)
    await node.apply_effects()
    await node.services.reports.add(BOB, "cheating", ADA, attempt)
    (case,) = await listed(node, kind="report")
    assert (case.attempt, case.game, case.day) == (attempt, "lady-betty", None)


async def test_cases_are_paged_newest_first(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "BATCH", 2)
    await named(node, ADA)
    start = node.clock.now()
    for number in range(5):
        await suspect(node, f"run{number}", start - 1_000 * (number // 2 + 1), day=number)
    await node.services.reports.add(BOB, "name", ADA)
    names, before = list[str](), None
    while True:
        page = await node.services.operators.cases(1, before=before)
        names += [case.case for case in page.cases]
        before = page.next
        if before is None:
            break
    assert names == [f"reports/{ADA}", "run1", "run0", "run3", "run2", "run4"]
    assert [case.case for case in await listed(node, day=3)] == ["run3"]
    assert len(await listed(node, kind="suspicion")) == 5


async def test_few_cases_are_scanned_per_page(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "BATCH", 1)
    monkeypatch.setattr(cases, "MAX_BATCHES", 2)
    for number in range(5):
        await suspect(node, f"run{number}", 1_000 + number, day=number)
    page = await node.services.operators.cases(1, day=1)
    assert (page.cases, page.next) == ([], (1_003, "run3"))
    page = await node.services.operators.cases(1, day=1, before=page.next)
    assert [case.case for case in page.cases] == ["run1"]


async def test_a_closed_case_reopens_on_a_new_report(node: Node) -> None:
    await named(node, ADA)
    operators = node.services.operators
    await node.services.reports.add(BOB, "name", ADA)
    name = f"reports/{ADA}"
    await operators.close_case(BY, name, "dismissed")
    assert await listed(node, state="open") == []
    (case,) = await listed(node, state="closed")
    assert case.closed is not None
    assert (case.closed.outcome, case.closed.operator) == ("dismissed", "mod")
    assert case.closed.reason == BY.reason
    # Another report by the same player is not news.
    node.clock.time += 1_000
    await node.services.reports.add(BOB, "other", ADA)
    assert await operators.reports(10) == []
    await node.services.reports.add(CYD, "name", ADA)
    assert [each.case for each in await operators.reports(10)] == [name]
    assert await refusal_from(operators.close_case(BY, "run1", "resolved")) == "unknown_case"
    assert [act.reason for act in await operators.acts(9)] == [BY.reason]


async def test_reports_evict_reports_only(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "MAX_REPORTED", 2)
    await suspect(node, "run", 1)
    await named(node, ADA, BOB, CYD)
    reporter = PlayerId("r" * 16)
    for player in (ADA, BOB, CYD):
        node.clock.time += 1
        await node.services.reports.add(reporter, "name", player)
        if player == ADA:
            await node.services.operators.close_case(BY, f"reports/{ADA}", "resolved")
    assert [case.case for case in await listed(node)] == [f"reports/{CYD}", f"reports/{BOB}", "run"]
    assert not await node.redis.exists(keys.CLOSED)
    monkeypatch.setattr(keys, "MAX_SUSPICIOUS", 1)
    await node.services.operators.close_case(BY, "run", "resolved")
    await suspect(node, "later", 2)
    assert not await node.redis.exists(keys.CLOSED)


async def test_a_run_shows_whether_it_is_void(node: Node) -> None:
    operators = node.services.operators
    room, _ = await node.race_of(ADA, BOB)
    node.clock.time = BEGUN
    daily = (await node.dailies.open(ADA, "robert")).attempt
    await node.play_out(daily, ADA)
    for player in (ADA, BOB):
        await node.play_out(attempt_of(room, player), player)
    await node.apply_effects()
    for attempt, day in ((attempt_of(room, ADA), False), (daily, True)):
        found = await operators.run(attempt)
        assert (found.player, found.void, found.day is not None) == (ADA, False, day)
        await operators.void(BY, attempt, void=True)
        assert (await operators.run(attempt)).void
    assert await refusal_from(operators.run(attempt_of(room, CYD))) == "unknown_run"
