"""Link previews of challenges."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest

from server.base.core.ids import PlayerId
from server.base.net.budgets import Budgets
from server.base.net.load import Load
from server.base.web.previews import Previews
from server.challenges import preview as previews
from server.challenges.core import commands
from server.challenges.core.events import ResultVoided
from server.play.core.result import Result
from server.players.core.names import Profile
from tests.base.redis.servers import calls
from tests.base.web.test_previews import page, preview
from tests.builders import ADA, BOB, START, reached
from tests.challenges.core.test_challenge import begun, challenge, closed, ended, then
from tests.challenges.test_challenges import TERMS, made, played
from tests.challenges.test_handlers import made as made_by
from tests.clients.client import opened
from tests.conftest import ALONE
from tests.conftest import node as running
from tests.nodes import Node

__all__ = ["page"]

pytestmark = ALONE

MAKER = Profile(ADA, "Ada")


def test_a_preview_names_challenger_game_and_target() -> None:
    state = begun(challenge(limit=720_000), BOB)
    found = previews.preview(state, MAKER)
    assert found.title == "Ada challenges you to Robert"
    assert found.about == "Same cards for everyone. 12 minutes. One try."
    assert (found.path, found.game, found.listed) == (f"/c/{state.id}", "robert", False)
    state = ended(state, ADA, reached(31, 252_400))
    assert previews.preview(state, MAKER).title == "Ada challenges you to Robert: 31 home in 4:12"
    # Better results of others stay hidden before playing.
    assert previews.preview(ended(state, BOB, reached(44)), MAKER) == previews.preview(state, MAKER)
    over = previews.preview(closed(state), MAKER)
    assert over.title == "Ada challenges you to Robert: 31 home in 4:12"
    assert over.about == "Same cards for everyone. 12 minutes. It is over: see how it went."
    closing = then(begun(challenge(limit=720_000), BOB), commands.close(challenge(), ADA, START))
    assert previews.preview(closing, MAKER).about == over.about


def test_a_preview_omits_hidden_results() -> None:
    state = ended(challenge(target=False), ADA, reached(31))
    assert previews.preview(state, MAKER).title == "Ada challenges you to Robert"
    voided = then(ended(challenge(), ADA, reached(31)), ResultVoided(ADA, True, START))
    assert previews.preview(voided, MAKER).title == "Ada challenges you to Robert"


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (Result(8, 96, 0, 0, "resigned"), "8 home"),
        (Result(71, 33, 252_000, 90, "time"), "71 home in 4:12"),
        (Result(104, 0, 3_723_000, 140, "won"), "all 104 home in 1:02:03"),
    ],
)
def test_the_text_of_a_target(result: Result, text: str) -> None:
    assert previews.score("deuces", "standard", result) == text


async def test_a_challenges_link_serves_the_page_with_a_preview(redis_url: str, page: Path) -> None:
    async with running(redis_url, page=page) as port, opened(port) as ada:
        await ada.hello(name="Ada")
        found = await made_by(ada, variant="standard", limit=90)
        meta = await preview(port, f"/c/{found['challenge']}")
        unknown = await preview(port, "/c/rw4kq8d2n6vx1zt7")
        hostile = await preview(port, "/c/%22%3E%3Cscript%3E")
    assert meta["og:title"] == "Ada challenges you to Robert"
    assert meta["og:description"] == "Same cards for everyone. 90 seconds. One try."
    assert meta["og:url"] == f"http://127.0.0.1:{port}/c/{found['challenge']}"
    assert meta["og:image"].endswith("/preview-robert.png")
    assert meta["robots"] == unknown["robots"] == hostile["robots"] == "noindex"
    assert unknown["og:title"] == hostile["og:title"] == "A challenge at solitaire"
    assert hostile["og:url"] == f"http://127.0.0.1:{port}/"


async def test_a_circles_challenge_is_indistinguishable_from_a_missing_one(node: Node) -> None:
    async def members(_: str) -> set[PlayerId | None]:
        return {ADA}

    service = node.services.challenges
    service.members = members
    terms = msgspec.structs.replace(TERMS, circle="c1rc1e0000000000")
    found = await service.create(ADA, terms, "key")
    of = Previews(node.services.screens, Load(lambda: 0.0), Budgets())
    shown = await of.preview(f"/c/{found.id}", {}, "")
    same = await of.preview("/c/rw4kq8d2n6vx1zt7", {}, "")
    assert (shown.title, shown.about) == (same.title, same.about)
    assert shown.game is same.game is None


async def test_requests_within_seconds_share_one_read(node: Node, other: Node) -> None:
    found = await made(node)
    await played(node, found.id, ADA)
    of, path = Previews(other.services.screens, Load(lambda: 0.0), Budgets()), f"/c/{found.id}"
    before = await calls(node.redis, "xrange")
    at_once = await asyncio.gather(*(of.preview(path, {}, "192.0.2.1") for _ in range(20)))
    later = [await of.preview(path, {}, f"192.0.2.{number}") for number in range(20)]
    assert len({meta.title for meta in (*at_once, *later)}) == 1
    assert " challenges you to Lady Betty: " in at_once[0].title
    assert await calls(node.redis, "xrange") == before + 1
