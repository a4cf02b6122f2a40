"""Closed deals and their runs over HTTP."""

from __future__ import annotations

from itertools import product

import msgspec
import pytest

from engine.catalog import stored_ruleset
from engine.verify import verify
from server.base.net import limits
from server.base.web.api.route import FOREVER, HOUR
from server.base.work.random_text import random_bot_id
from server.play.core.run import check, parse_file
from server.routes import ROUTES
from server.runs.core.refusals import RunRefusals
from tests.builders import ADA, BOB, CYD, round_of
from tests.challenges.test_challenges import made, played
from tests.clients.site import CLOSED, DATE, GAME, UNKNOWN, Site, play_daily
from tests.conftest import ALONE
from tests.nodes import BEGUN, Node, attempt_of

pytestmark = ALONE


async def test_a_deal_and_its_runs_are_public_once_it_is_closed(site: Site, node: Node) -> None:
    attempt = await play_daily(node, ADA)
    deal, _, _ = attempt.partition(".")
    node.clock.time = CLOSED - 1
    for path in (f"/deals/{deal}", f"/deals/{deal}/runs?group=guests", f"/runs/{attempt}"):
        reply = await site.get(path)
        assert (reply.status, reply.code) == (409, "deal_open")
        assert reply.headers["Cache-Control"] == "no-store"
    node.clock.time = CLOSED
    shown = await site.get(f"/deals/{deal}")
    found = shown.json
    rules = stored_ruleset(found["game"], found["variant"], found["rules"])
    assert verify(rules, deal, found["seed"], found["commitment"]).agrees
    assert shown.headers["Cache-Control"] == f"public, max-age={FOREVER}, immutable"
    runs = await site.get(f"/deals/{deal}/runs?group=guests")
    assert [row["run"] for row in runs.json["runs"]] == [attempt]
    assert runs.headers["Cache-Control"] == f"public, max-age={HOUR}"
    assert (await site.get(f"/deals/{deal}/runs")).json["size"] == 0


@pytest.mark.parametrize("allowed", ["none", "hints"])
async def test_a_run_is_a_file_that_can_be_checked(site: Site, node: Node, allowed: str) -> None:
    room = await node.room_of(ADA)
    terms = msgspec.structs.replace(room.terms, help=allowed)
    await node.rooms.set_terms(room.opened.code, ADA, terms)
    room = await node.rooms.start(room.opened.code, ADA, {ADA})
    attempt = attempt_of(room, ADA)
    node.clock.time = BEGUN
    for _ in range(5):
        node.clock.time += 700
        await node.play(attempt, ADA)
    if allowed == "hints":
        state = await node.state_of(attempt)
        await node.attempts.undo(attempt, ADA, state.seq + 1)
        state = await node.state_of(attempt)
        await node.attempts.hint(attempt, ADA, state.seq + 1, lambda _: None)
    await node.attempts.give_up(attempt)
    await node.apply_effects()
    reply = await site.get(f"/runs/{attempt}")
    file = parse_file(reply.body)
    assert check(file) is None
    result = (await node.state_of(attempt)).result
    assert msgspec.structs.asdict(file.result) == {
        name: getattr(result, name) for name in file.result.__struct_fields__
    }
    assert (file.help, file.player.id, reply.json["samedeal"]) == (allowed, ADA, "run")


async def test_the_runs_of_a_round_are_paginated(site: Site, node: Node) -> None:
    room, _ = await node.race_of(ADA, BOB, CYD)
    node.clock.time = BEGUN
    for player in (ADA, BOB, CYD):
        await node.play_out(attempt_of(room, player), player)
        node.clock.time += 1_000
    await node.apply_effects()
    deal = round_of(room).deal
    whole = (await site.get(f"/deals/{deal}/runs")).json
    assert [row["rank"] for row in whole["runs"]] == sorted(row["rank"] for row in whole["runs"])
    parts = [(await site.get(f"/deals/{deal}/runs?from={n}&count=1")).json for n in (1, 2, 3, 4)]
    assert [part["size"] for part in parts] == [3] * 4
    assert [row for part in parts for row in part["runs"]] == whole["runs"]


async def test_a_bots_run_is_labelled(site: Site, node: Node) -> None:
    bot = random_bot_id()
    room, _ = await node.race_of(ADA, bot)
    node.clock.time = BEGUN
    for player in (ADA, bot):
        await node.play_out(attempt_of(room, player), player)
    await node.apply_effects()
    for player, is_one in ((ADA, False), (bot, True)):
        reply = await site.get(f"/runs/{attempt_of(room, player)}")
        assert parse_file(reply.body).player.bot is is_one
        assert ("bot" in reply.json["player"]) is is_one
    rows = (await site.get(f"/deals/{round_of(room).deal}/runs")).json["runs"]
    assert {row["player"]["id"]: row["player"]["bot"] for row in rows} == {ADA: False, bot: True}


async def test_missing_deals_and_runs_are_unknown(site: Site) -> None:
    for path, code in (
        (f"/deals/{UNKNOWN}", "unknown_deal"),
        (f"/deals/{UNKNOWN}/runs", "unknown_deal"),
        ("/deals/{}", "unknown_deal"),
        (f"/runs/{UNKNOWN}.{ADA}", "unknown_run"),
        ("/runs/x", "unknown_run"),
    ):
        reply = await site.get(path)
        assert (reply.status, reply.code) == (404, code)


async def test_nothing_of_an_open_deal_is_served(
    site: Site, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This holds for any path, with the ids of an open daily, a running round and a challenge."""
    monkeypatch.setattr(limits, "ADDRESS_REQUESTS", limits.Rate(10_000.0, 10_000.0))
    attempts = [await play_daily(node, ADA)]
    room, _ = await node.race_of(ADA, BOB)
    attempts.append(attempt_of(room, ADA))
    node.clock.time = BEGUN
    await node.play_out(attempts[1], ADA)
    challenge = await made(node)
    await played(node, challenge.id, ADA)
    attempts.append(challenge.attempt(ADA))
    deals = []
    for attempt in attempts:
        deal = await node.services.deal_store.find((await node.state_of(attempt)).start.deal)
        assert deal is not None
        deals.append(deal)
    for attempt, deal, date, game in product(attempts, deals, (DATE,), (GAME, deals[1].game)):
        values = {"deal": deal.id, "run": attempt, "player": ADA, "game": game, "date": date}
        values |= {"scope": "day", "period": date, "file": f"{date}.jsonl.gz"}
        values |= {"challenge": challenge.id}
        for route, query in product(ROUTES, ("", "?group=guests")):
            reply = await site.ask("/api" + route.path.format(**values) + query)
            assert reply.status in {200, 400, 404, 409}
            text = reply.body.decode()
            assert not any(secret.seed.hex() in text for secret in deals)
            if RunRefusals.deal_open in route.codes:
                assert reply.status in {409, 400}
            if "players" in text and reply.status == 200:
                assert all(row["run"] is None for row in reply.json.get("players", ()))
            if "rows" in text and reply.status == 200:
                assert all(row["run"] is None for row in reply.json.get("rows", ()))
