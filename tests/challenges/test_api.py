"""Challenges over HTTP, and the visibility of their deals."""

from __future__ import annotations

import msgspec
import pytest

from engine.catalog import stored_ruleset
from engine.verify import verify
from server.base.core.ids import PlayerId
from server.base.web.api.route import HOUR, LIVE
from tests.builders import ADA, BOB, CYD, DAN
from tests.challenges.test_challenges import TERMS, challenged, deal_of, known, made, played, raced
from tests.clients.site import Site
from tests.conftest import ALONE
from tests.nodes import Node

pytestmark = ALONE


async def test_a_challenge_shows_only_the_target_until_it_is_over(site: Site, node: Node) -> None:
    challenge = await made(node)
    for player in (ADA, BOB):
        await played(node, challenge.id, player)
    await node.services.challenges.play(challenge.id, CYD)
    reply = await site.get(f"/challenges/{challenge.id}")
    assert reply.headers["Cache-Control"] == f"public, max-age={LIVE}"
    shown = reply.json
    assert (shown["over"], shown["seed"], shown["size"]) == (False, None, 3)
    rows = {row["player"]["id"]: row for row in shown["players"]}
    assert [*rows] == [ADA, BOB, CYD]
    assert [row["state"] for row in rows.values()] == ["ended", "ended", "playing"]
    assert rows[ADA]["result"]["home"] > 0
    assert rows[BOB]["result"] is rows[CYD]["result"] is None
    assert not any(row["rank"] or row["run"] for row in rows.values())


async def test_a_finished_challenge_shows_results_runs_and_seed(site: Site, node: Node) -> None:
    challenge = await made(node, named=[BOB, CYD])
    for player in (ADA, BOB):
        await played(node, challenge.id, player)
    node.clock.time = challenge.made.closes
    await node.sweep()
    await node.apply_effects()
    reply = await site.get(f"/challenges/{challenge.id}")
    assert reply.headers["Cache-Control"] == f"public, max-age={HOUR}"
    shown = reply.json
    rules = stored_ruleset(shown["game"], shown["variant"], shown["rules"])
    assert verify(rules, shown["deal"], shown["seed"], shown["commitment"]).agrees
    *ended, absent = shown["players"]
    assert (absent["player"]["id"], absent["state"], absent["result"]) == (CYD, "absent", None)
    assert {row["player"]["id"] for row in ended} == {ADA, BOB}
    for row in ended:
        file = (await site.get(f"/runs/{row['run']}")).json
        assert (file["player"]["id"], file["result"]) == (row["player"]["id"], row["result"])
    second = (await site.get(f"/challenges/{challenge.id}?from=2&count=1")).json
    assert (second["players"], second["size"]) == ([ended[1]], 3)


@pytest.mark.parametrize("on_a_race", [False, True])
async def test_deal_and_runs_are_shown_later(site: Site, node: Node, *, on_a_race: bool) -> None:
    if on_a_race:
        challenge = await challenged(node, await raced(node, ADA, BOB))
    else:
        challenge = await made(node)
        await played(node, challenge.id, ADA)
    deal, run = challenge.made.deal, challenge.attempt(ADA)
    paths = f"/deals/{deal}", f"/deals/{deal}/runs", f"/runs/{run}"
    for path in paths:
        reply = await site.get(path)
        assert (reply.status, reply.code) == (409, "deal_open")
        assert reply.headers["Cache-Control"] == "no-store"
    node.clock.time = challenge.made.closes
    shown, runs, _ = [(await site.get(path)).json for path in paths]
    assert shown["seed"] == (await site.get(f"/challenges/{challenge.id}")).json["seed"]
    assert run in [row["run"] for row in runs["runs"]]


async def test_a_race_is_on_no_page_while_others_can_play_its_deal(site: Site, node: Node) -> None:
    async def races(player: PlayerId) -> tuple[int, int, list[str]]:
        # Responses are cached for some seconds, so request each page only once.
        (game,) = (await site.get(f"/players/{player}")).json["games"]
        found = game["races"]
        return found["played"], found["won"], [each["deal"] for each in found["rounds"]]

    room = await raced(node, ADA, BOB, CYD, DAN)
    deal = deal_of(room)
    assert (await races(ADA))[::2] == (1, [deal])
    challenge = await challenged(node, room)
    assert await races(BOB) == (0, 0, [])
    node.clock.time = challenge.made.closes - 1
    assert await races(CYD) == (0, 0, [])
    node.clock.time = challenge.made.closes
    await node.sweep()
    await node.apply_effects()
    assert (await races(DAN))[::2] == (1, [deal])


async def test_a_circles_challenge_is_not_available(site: Site, node: Node) -> None:
    async def members(_: str) -> set[PlayerId | None]:
        return {ADA}

    await known(node, ADA)
    service = node.services.challenges
    service.members = members
    found = await service.create(
        ADA, msgspec.structs.replace(TERMS, circle="c1rc1e0000000000"), "k"
    )
    for each in (found.id, "c5n2x8r1m4kq7w0z", "x"):
        reply = await site.get(f"/challenges/{each}")
        assert (reply.status, reply.code) == (404, "unknown_challenge")
