"""Dailies over HTTP: deals with their commitments, seeds after the close, and curves."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.catalog import daily_games, in_order, ruleset, stored_ruleset
from engine.deal import deal_seed
from engine.verify import verify
from server.base.core import days
from server.base.core.refusal import Refusal
from server.base.web.api.route import FOREVER, HOUR, LIVE, day_of
from server.deals.core.certificate import proves
from server.results.core import curve
from server.results.core.daily_sets import by_crown
from tests.builders import ADA, BOB, CYD, START
from tests.clients.site import CLOSED, DATE, DAY, GAME, SETTLED, Site, play_daily
from tests.conftest import ALONE
from tests.deals.certified import pooled
from tests.nodes import Node, SetClock

pytestmark = ALONE


async def test_commitments_are_published_ahead(site: Site, node: Node) -> None:
    for game in daily_games():
        for _ in range(days.DRAWN_AHEAD - days.UNCERTIFIED_AHEAD):
            await node.services.pool_store.put(pooled(game))
    await node.dailies.draw_ahead()
    reply = await site.get("/dailies")
    found = reply.json
    assert (found["day"], found["date"], found["now"]) == (DAY, DATE, START)
    assert [each["day"] for each in found["days"]] == [*range(DAY, DAY + days.DRAWN_AHEAD + 1)]
    for day in found["days"]:
        assert {deal["game"] for deal in day["deals"]} == set(daily_games())
        assert not day["closed"]
        assert {deal["seed"] for deal in day["deals"]} == {None}
        assert {deal["line"] for deal in day["deals"]} == {None}
        certified = day["day"] > DAY + days.UNCERTIFIED_AHEAD
        assert {deal["certificate"] is not None for deal in day["deals"]} == {certified}
    crowns = [
        {"crown": crown, "games": in_order(of)} for crown, of in by_crown(list(daily_games()))
    ]
    assert found["sets"] == [{"since": DAY, "games": list(daily_games()), "crowns": crowns}]
    assert [day["crowns"] for day in found["days"]] == [crowns] * len(found["days"])
    assert reply.headers["Cache-Control"] == "public, max-age=1"
    assert [day["earlier"] for day in found["days"]] == [False] + [True] * days.DRAWN_AHEAD
    second = (await site.get(f"/dailies/{days.date_text(DAY + 1)}")).json
    assert second["earlier"], "the first day has deals"


async def test_a_closed_days_seeds_match_its_commitments(site: Site, clock: SetClock) -> None:
    before = (await site.get(f"/dailies/{DATE}")).json
    clock.time = CLOSED
    day = (await site.get(f"/dailies/{DATE}")).json
    assert day["closed"]
    promised = {deal["deal"]: deal["commitment"] for deal in before["deals"]}
    for deal in day["deals"]:
        rules = stored_ruleset(deal["game"], deal["variant"], deal["rules"])
        assert verify(rules, deal["deal"], deal["seed"], promised[deal["deal"]]).agrees


async def test_an_uncertified_deal_is_shown_with_its_best_run(site: Site, node: Node) -> None:
    path = f"/dailies/{DATE}"
    assert {deal["best"] for deal in (await site.get(path)).json["deals"]} == {None}
    home = (await node.state_of(await play_daily(node, ADA, moves=12))).result.home
    node.clock.time += 60_000
    for time, life in ((node.clock.time, 60), (CLOSED, LIVE), (SETTLED, HOUR)):
        node.clock.time = time
        reply = await site.get(path)
        best = {deal["game"]: deal["best"] for deal in reply.json["deals"]}
        assert best == {**dict.fromkeys(daily_games()), GAME: home}
        assert reply.headers["Cache-Control"].startswith(f"public, max-age={life}")
    assert home > 0


async def test_a_closed_day_with_only_certified_deals_never_changes(site: Site, node: Node) -> None:
    for game in daily_games():
        await node.services.pool_store.put(pooled(game))
    await node.dailies.draw_ahead()
    day = DAY + days.UNCERTIFIED_AHEAD + 1
    node.clock.time = days.closes(day)
    reply = await site.get(f"/dailies/{days.date_text(day)}")
    assert {deal["best"] for deal in reply.json["deals"]} == {None}
    assert reply.headers["Cache-Control"] == f"public, max-age={FOREVER}, immutable"


async def test_a_certified_deals_line_is_shown_after_its_day(site: Site, node: Node) -> None:
    made = pooled(GAME)
    await node.services.pool_store.put(made)
    await node.dailies.draw_ahead()
    day = DAY + days.UNCERTIFIED_AHEAD + 1
    path = f"/dailies/{days.date_text(day)}"
    node.clock.time = days.closes(day) - 1
    before = await site.get(path)
    (deal,) = [each for each in before.json["deals"] if each["game"] == GAME]
    said = {"winnable": False, "par": made.par, "level": days.level_of(day)}
    assert (deal["deal"], deal["certificate"], deal["line"]) == (made.id, said, None)
    first, *_ = made.line.split()
    assert f'"{first}"'.encode() not in before.body
    assert (await site.get(f"/deals/{made.id}")).code == "deal_open"
    node.clock.time += 1_000
    for path_after in (path, f"/deals/{made.id}"):
        after = (await site.get(path_after)).json
        found = next(each for each in after.get("deals", [after]) if each["deal"] == made.id)
        assert (found["certificate"], found["line"]) == (said, made.line.split())
        assert proves(
            deal_seed(ruleset(GAME), bytes.fromhex(found["seed"])),
            " ".join(found["line"]),
            made.par,
            winnable=False,
        )


async def test_an_answer_is_cached_at_most_as_long_as_its_day(site: Site, clock: SetClock) -> None:
    clock.time = CLOSED - 20_500
    assert (await site.get(f"/dailies/{DATE}")).headers["Cache-Control"] == "public, max-age=20"


@pytest.mark.parametrize(
    "date", ["1970-01-01", "2026-11-21", "2026-13-01", "20990101", "x", "0001-01-01", "9999-12-31"]
)
async def test_other_days_are_unknown(site: Site, date: str) -> None:
    reply = await site.get(f"/dailies/{date}")
    assert (reply.status, reply.code) == (404, "unknown_day")
    ahead = days.date_text(DAY + days.DRAWN_AHEAD + 1)
    assert (await site.get(f"/dailies/{ahead}")).status == 404


@given(st.one_of(st.dates().map(str), st.text(), st.from_regex(r"\d{4}-\d\d-\d\d")))
def test_a_date_is_one_day_or_refused(text: str) -> None:
    with suppress(Refusal):
        assert days.date_text(day_of(text)) == text


async def test_curves_show_the_progress_of_the_runs(site: Site, node: Node) -> None:
    empty = (await site.get(f"/dailies/{DATE}/{GAME}/curves")).json
    assert (empty["runs"], empty["low"], empty["end"]) == (0, [], None)
    attempts = [await play_daily(node, player) for player in (ADA, BOB)]
    attempts.append(await play_daily(node, CYD, moves=1))
    node.clock.time = CLOSED
    reply = await site.get(f"/dailies/{DATE}/{GAME}/curves")
    found = reply.json
    homes = sorted([(await node.state_of(attempt)).result.home for attempt in attempts])
    assert (found["runs"], found["day"], found["seconds"]) == (3, DAY, list(curve.SECONDS))
    assert [found["end"][name] for name in ("low", "median", "high")] == homes
    assert len(found["low"]) == len(found["median"]) == len(found["high"]) == len(curve.SECONDS)
    assert found["median"][-1] == homes[1]
    assert reply.headers["Cache-Control"] == f"public, max-age={LIVE}"


async def test_curves_are_cached_longer_once_complete(site: Site, clock: SetClock) -> None:
    clock.time = SETTLED
    reply = await site.get(f"/dailies/{DATE}/{GAME}/curves")
    assert reply.headers["Cache-Control"] == f"public, max-age={HOUR}"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (f"/dailies/{DATE}/chess/curves", "unknown_game"),
        (f"/dailies/{days.date_text(DAY + 1)}/{GAME}/curves", "unknown_day"),
        (f"/dailies/yesterday/{GAME}/curves", "unknown_day"),
    ],
)
async def test_other_curves_are_unknown(site: Site, path: str, code: str) -> None:
    reply = await site.get(path)
    assert (reply.status, reply.code) == (404, code)
