"""HTTP API requests: valid queries, rate limits, and caching."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlencode

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from server.base.core.ids import PlayerId
from server.base.core.refusal import Refusal
from server.base.net import limits
from server.base.web.api import cache as api_cache
from server.base.web.api.app import asked_of
from server.base.web.api.cache import MAX_IN_FLIGHT, Cache
from server.base.web.api.route import Answer, Route, Rows
from server.routes import ROUTES
from server.runs.core.refusals import RunRefusals
from tests.builders import ADA, START
from tests.clients.site import DATE, GAME, Site, site_on
from tests.conftest import ALONE
from tests.nodes import Node, SetClock
from tests.sizes import SAMPLED, cases
from tests.traced import traced

pytestmark = ALONE

BOARD = f"/boards/day/{GAME}/{DATE}"

Maker = Callable[[], Awaitable[Answer[msgspec.Raw]]]


async def test_an_unchanged_answer_is_not_sent_again(site: Site) -> None:
    first = await site.get(BOARD)
    tag = first.headers["ETag"]
    again = await site.get(BOARD, **{"If-None-Match": f'"other", {tag}'})
    assert (again.status, again.body, again.headers["ETag"]) == (304, b"", tag)
    assert tag.startswith('"')


async def test_a_head_has_only_the_headers(site: Site) -> None:
    whole, head = await site.get(BOARD), await site.get(BOARD, "HEAD")
    assert (head.status, head.body) == (200, b"")
    assert head.headers["Content-Length"] == whole.headers["Content-Length"]


async def test_any_origin_may_read_the_answers(site: Site) -> None:
    for reply in (await site.get(BOARD), await site.get("/nothing")):
        assert reply.headers["Access-Control-Allow-Origin"] == "*"
    preflight = await site.get(BOARD, "OPTIONS", Origin="https://example.org")
    allowed = [preflight.headers[f"Access-Control-Allow-{each}"] for each in ("Methods", "Headers")]
    assert (preflight.status, allowed) == (204, ["GET, HEAD, OPTIONS", "If-None-Match"])


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
async def test_changing_methods_are_refused(site: Site, method: str) -> None:
    reply = await site.get(BOARD, method)
    assert (reply.status, reply.code) == (405, "bad_method")
    assert set(reply.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}


@pytest.mark.parametrize("path", ["/", "/nothing", "/boards", f"{BOARD}/x", "/dailies/", "//"])
async def test_an_unknown_path_is_unknown(site: Site, path: str) -> None:
    reply = await site.ask(f"/api{path}")
    assert reply.status == 404
    assert reply.code in {"unknown_path", "unknown_day"}
    assert reply.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "query",
    [
        "from=0", "from=-1", "from=x", "from=1.5", "from=", "from=99999999999", "count=0",
        "count=101", "count=1&count=2", "group=all", "page=2", "scope=week", "first=1",
    ],
)  # fmt: skip
async def test_an_invalid_query_is_refused(site: Site, query: str) -> None:
    reply = await site.get(f"{BOARD}?{query}")
    assert (reply.status, reply.code) == (400, "bad_request")


@given(st.lists(st.tuples(st.one_of(st.sampled_from(["from", "count", "group", "deal"]), st.text()),
                          st.one_of(st.integers().map(str), st.text()))),
       st.sampled_from(ROUTES))  # fmt: skip
def test_any_query_is_understood_or_refused(
    pairs: list[tuple[str, str]], route: Route[Any]
) -> None:
    query, fields = urlencode(pairs).encode(), dict.fromkeys(route.in_path, "x")
    scope = {"type": "http", "headers": [], "query_string": query, "path_params": fields}
    try:
        asked = asked_of(route, Request(scope))
    except Refusal:
        return
    if isinstance(asked, Rows):
        assert asked.first >= 1
        assert 1 <= asked.count <= 100


async def test_a_long_answer_is_compressed_if_the_client_accepts_it(site: Site, node: Node) -> None:
    plain = await site.get("/dailies/" + DATE)
    packed = await site.ask("/api/dailies/" + DATE, **{"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert packed.headers["ETag"] != plain.headers["ETag"]
    assert packed.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"
    assert node.services.clock.now() == START


async def test_a_client_with_too_many_requests_has_to_wait(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "ADDRESS_REQUESTS", limits.Rate(0.5 / 250, 7.0 / 250))
    run = f"/runs/dea1000000000000.{ADA}"
    assert (await site.get(run)).status == 404
    reply = await site.get(run)
    assert (reply.status, reply.code) == (429, "too_fast")
    assert reply.headers["Retry-After"] == "6"
    # A cheaper request can still be paid for, and a page has no limit.
    assert (await site.get(BOARD)).status == 200
    assert (await site.ask("/health")).status == 200


async def test_only_a_trusted_proxy_is_believed(
    node: Node, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "ADDRESS_REQUESTS", limits.Rate(0.001 / 250, 1.0 / 250))
    for proxies, statuses in (((), [200, 429, 429]), (("127.0.0.0/8",), [200, 200, 429])):
        async with site_on(node, tmp_path, proxies) as site:
            found = [
                (await site.get(BOARD, **{"X-Forwarded-For": address})).status
                for address in ("1.2.3.4, 203.0.113.7", "203.0.113.8", "4.3.2.1, 203.0.113.7")
            ]
        assert found == statuses


async def test_an_overloaded_node_refuses_requests(site: Site) -> None:
    site.lag = 1e9
    reply = await site.get(BOARD)
    assert (reply.status, reply.code) == (503, "overloaded")
    assert int(reply.headers["Retry-After"]) >= 2
    site.lag = 0.0
    assert (await site.get(BOARD)).status == 200


async def test_requests_are_counted_by_route_and_status(site: Site, node: Node) -> None:
    for path in (BOARD, BOARD, "/dailies/x", "/nothing"):
        await site.get(path)
    assert dict(node.services.metrics.requests) == {
        ("/boards/{scope}/{game}/{period}", "200"): 2,
        ("/dailies/{date}", "404"): 1,
        ("other", "404"): 1,
    }


async def test_concurrent_requests_share_one_answer() -> None:
    now, made, may_end = [0.0], [0], asyncio.Event()
    answers = Cache(lambda: now[0])

    async def make() -> Answer[int]:
        made[0] += 1
        await may_end.wait()
        return Answer(made[0], 5)

    asking = [asyncio.create_task(answers.get("same", make)) for _ in range(50)]
    await asyncio.sleep(0)
    asking[0].cancel()
    may_end.set()
    first, *others = [await one for one in asking[1:]]
    assert all(other is first for other in others)
    now[0] = 4.9
    assert await answers.get("same", make) is first
    assert made == [1]
    now[0] = 5.0
    assert await answers.get("same", make) is not first
    assert made == [2]


async def test_a_refusal_is_not_kept() -> None:
    answers, tries = Cache(lambda: 0.0), [0]

    async def make() -> Answer[int]:
        tries[0] += 1
        raise Refusal(RunRefusals.deal_open)

    for _ in range(2):
        with pytest.raises(Refusal, match="deal_open"):
            await answers.get("same", make)
    assert tries == [2]


async def test_the_number_of_concurrently_made_answers_is_bounded() -> None:
    answers, may_end = Cache(lambda: 0.0), asyncio.Event()

    async def make() -> Answer[int]:
        await may_end.wait()
        return Answer(1, 5)

    asking = [asyncio.create_task(answers.get(str(n), make)) for n in range(MAX_IN_FLIGHT)]
    await asyncio.sleep(0)
    with pytest.raises(Refusal, match="overloaded"):
        await answers.get("one more", make)
    may_end.set()
    await asyncio.gather(*asking)
    await answers.get("one more", make)


def answering(size: int, life: int = 60, made: list[int] | None = None) -> Maker:
    """Return a creator of answers with bodies of `size` bytes that counts its calls."""

    async def make() -> Answer[msgspec.Raw]:
        if made is not None:
            made.append(size)
        # Not compressible, so that both codings take the same space.
        return Answer(
            msgspec.Raw(b'"' + Random(size).randbytes(size // 2).hex().encode()[2:] + b'"'), life
        )

    return make


async def made_by(answers: Cache, *numbers: int) -> list[int]:
    """Request answers of 300 bytes by number, and return the numbers not served from the cache."""
    made = list[int]()
    for number in numbers:
        before = len(made)
        await answers.get(str(number), answering(300, made=made))
        if len(made) > before:
            made[-1] = number
    return made


async def test_the_cache_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_cache, "MAX_BYTES", 3 * (api_cache.OVERHEAD + 301) / api_cache.ONCE)
    answers = Cache(lambda: 0.0)
    assert await made_by(answers, 1, 2, 3, 1, 4, 5, 1, 3, 2, 6) == [1, 2, 3, 4, 5, 2, 6]
    # An answer larger than a whole share is not kept.
    large = list[int]()
    for _ in range(2):
        await answers.get("large", answering(50_000, made=large))
    assert large == [50_000] * 2
    assert await made_by(answers, 1, 3) == []


async def test_answers_requested_once_do_not_evict_answers_requested_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = api_cache.OVERHEAD + 310
    monkeypatch.setattr(api_cache, "MAX_BYTES", 20 * one)
    answers = Cache(lambda: 0.0)
    often = range(int(20 * (1 - api_cache.ONCE)))
    await made_by(answers, *sorted([*often] * 2))
    await made_by(answers, *range(1_000, 2_000))
    assert await made_by(answers, *often) == []
    assert answers.size <= 20 * one


@pytest.mark.parametrize(
    ("size", "count"), [(92, 2_000), (1_000, 1_000), (1_500, 500), (20_000, 100)][:: cases(3, 1)]
)
@SAMPLED
async def test_cached_answers_take_no_more_memory_than_counted(size: int, count: int) -> None:
    answers = Cache(lambda: 0.0)
    keys = [f"/boards/{{scope}}/{{game}}/{{period}} {number:060}" for number in range(count)]
    with traced() as held:
        for key in keys:
            await answers.get("".join(key), answering(size))
        taken = held()
    assert len(answers) == count
    assert answers.size / 2 < taken < answers.size


async def test_answers_are_removed_when_they_expire() -> None:
    now = [0.0]
    answers = Cache(lambda: now[0])
    for number in range(100):
        await answers.get(str(number), answering(300, life=5 if number else 60))
    assert len(answers) == 100
    # Requesting an answer again does not extend its life.
    now[0] = 4.0
    await answers.get("1", answering(300))
    now[0] = 5.0
    await answers.get("0", answering(300))
    assert len(answers) == 1


async def test_the_clocks_day_decides_which_board_is_live(site: Site, clock: SetClock) -> None:
    player = PlayerId("ada0000000000000")
    assert (await site.get(f"/players/{player}")).json["day"] * 86_400_000 <= clock.time
