"""The rules of all games over HTTP."""

from __future__ import annotations

import json

import msgspec

from engine.catalog import exported, ruleset
from server.base.web.api.route import HOUR
from server.play.api import Games
from tests.clients.site import Site
from tests.conftest import ALONE

pytestmark = ALONE


async def test_the_rules_of_all_games_are_served_by_digest(site: Site) -> None:
    reply = await site.get("/games")
    assert reply.headers["Cache-Control"] == f"public, max-age={HOUR}"
    found = msgspec.convert(reply.json, Games)
    known = json.loads(json.dumps(exported()))
    assert found.games == {game["id"]: game["name"] for game in known["games"]}
    variants = [variant for game in known["games"] for variant in game["variants"]]
    served = [(each["digest"], each["rules"]) for each in reply.json["rules"] if each["listed"]]
    assert served == [(variant["digest"], variant["rules"]) for variant in variants]
    assert [each.digest for each in found.rules if not each.listed] == [
        each["digest"] for each in known["unlisted"]
    ]
    for each in found.rules:
        if each.listed:
            assert each.piles == list(ruleset(each.game, each.variant).pile_names)
