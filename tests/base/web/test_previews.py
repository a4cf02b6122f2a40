"""Link previews: the meta tags of each address, over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from signal import SIGCONT, SIGSTOP

import pytest

from engine.catalog import games
from server.base.core import days
from server.base.core.days import DailyId
from server.base.core.ids import PlayerId
from server.base.net.budgets import Budgets
from server.base.net.limits import Rate
from server.base.net.load import Load
from server.base.web import previews, start_page
from server.base.web.previews import HOME, Preview, Previews
from server.base.web.start_page import StartPage
from server.play.core.result import Row, pack
from server.players.core.names import Profile
from server.results import preview as result_previews
from server.results.leaderboards import Standing
from tests.base.redis.servers import calls
from tests.base.web.test_pages import get
from tests.builders import ADA, START
from tests.clients.client import opened
from tests.clients.play import give_up_daily, room_of
from tests.conftest import ALONE
from tests.conftest import node as running_node
from tests.nodes import Node
from tests.processes import PATIENCE
from tests.redis_servers import running_server

pytestmark = [ALONE, pytest.mark.usefixtures("short_countdown")]

WEB = Path(__file__).parents[3] / "client_js" / "web"
INDEX = (
    f"<!doctype html><head>{start_page.BEGIN}<title>x</title>{start_page.END}</head><body></body>"
)
DAY = days.day_at(START)


class _Head(HTMLParser):
    """The head of a page, parsed.

    Attributes:
        meta: its title, its canonical address (`canonical`), and its meta tags by name.
        tags: the names of all tags.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.meta: dict[str, str] = {}
        self.tags: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        given = {name: value or "" for name, value in attrs}
        if tag == "meta":
            name = given.get("name") or given["property"]
            assert name not in self.meta
            self.meta[name] = given["content"]
        elif tag == "link":
            self.meta[given["rel"]] = given["href"]

    def handle_data(self, data: str) -> None:
        if self.tags[-1:] == ["title"]:
            self.meta.setdefault("title", data)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    folder = tmp_path / "page"
    folder.mkdir()
    (folder / "index.html").write_text(INDEX)
    for name in ("preview.png", *(f"preview-{game}.png" for game in games())):
        (folder / name).write_bytes(b"a picture")
    return folder


@pytest.fixture
async def port(redis_url: str, page: Path) -> AsyncIterator[int]:
    async with running_node(redis_url, page=page) as port:
        yield port


async def preview(port: int, path: str, **headers: str) -> dict[str, str]:
    """Return the title, canonical address and meta tags of an address."""
    response, body = await get(port, path, **headers)
    assert response.status == 200
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert response.headers["Cache-Control"] == "no-cache"
    found = _Head(body)
    assert set(found.tags) <= {"head", "title", "link", "meta", "body"}
    return found.meta


LEADERBOARD = "/leaderboard/deuces"
PAST = f"{LEADERBOARD}?day=20414"
RUN = "/run/rw4kq8d2n6vx1zt7.k3mq7w2r5t9xkz4b"
ADDRESSES = [
    ("/", HOME.title, "/"),
    ("/new", HOME.title, "/"),
    ("/index.html", HOME.title, "/"),
    ("/daily", "Today’s deals", "/daily"),
    ("/daily/", "Today’s deals", "/daily"),
    ("/archive/2026-11-21", "The deals of 21 November 2026", "/archive/2026-11-21"),
    ("/archive/2026-11-31", HOME.title, "/"),
    ("/archive", HOME.title, "/"),
    ("/daily/robert", "Today’s Robert", "/daily/robert"),
    ("/daily/robert?utm=1", "Today’s Robert", "/daily/robert"),
    ("/daily/chess", HOME.title, "/"),
    ("/daily/robert/x", HOME.title, "/"),
    ("/practice/deuces", "Practice Deuces", "/practice/deuces"),
    ("/rules/lady-betty", "How to play Lady Betty", "/rules/lady-betty"),
    (LEADERBOARD, "Deuces: today’s leaderboard", LEADERBOARD),
    (
        f"{LEADERBOARD}?day=20414",
        "Deuces, 22 November 2025: leaderboard",
        f"{LEADERBOARD}?day=20414",
    ),
    (f"{LEADERBOARD}?day=999999", "Deuces: today’s leaderboard", LEADERBOARD),
    (f"{LEADERBOARD}?day=-1&player=%3Cb%3E", "Deuces: today’s leaderboard", LEADERBOARD),
    ("/r/H7KQ2M4X", "Race me at solitaire", "/r/H7KQ2M4X"),
    (f"{RUN}?at=6100", "Watch this run", RUN),
    ("/run/%22%3E%3Cscript%3E", HOME.title, "/"),
    ("/deal/rw4kq8d2n6vx1zt7", "One deal of solitaire", "/deal/rw4kq8d2n6vx1zt7"),
    ("/deal/robert", HOME.title, "/"),
    ("/watch/H7KQ2M4X/Jk1c9mY-w3_A", "Watch our race", "/watch/H7KQ2M4X/Jk1c9mY-w3_A"),
    ("/watch/H7KQ2M4X/%22%3E%3Cscript%3E", HOME.title, "/"),
    ("/watch/H7KQ2M4X", HOME.title, "/"),
    (f"/o/{'rw4kq8d2n6vx1zt7' * 2}", "Join our circle", f"/o/{'rw4kq8d2n6vx1zt7' * 2}"),
    ("/o/rw4kq8d2n6vx1zt7", HOME.title, "/"),
    ("/circles/rw4kq8d2n6vx1zt7", HOME.title, "/"),
    ("/c/rw4kq8d2n6vx1zt7", "A challenge at solitaire", "/c/rw4kq8d2n6vx1zt7"),
    ("/r/%22%3E%3Cscript%3E", "Race me at solitaire", "/"),
]
"""(path, title, canonical address) of pages."""


async def test_each_address_has_its_own_preview(port: int) -> None:
    origin = f"http://127.0.0.1:{port}"
    for path, title, address in ADDRESSES:
        game = next((f"-{game}" for game in games() if f"/{game}" in address), "")
        picture = f"preview{game}"
        meta = await preview(port, path)
        assert (await get(port, f"/{picture}.png"))[0].status == 200, path
        assert meta["og:title"] == title, path
        assert meta["title"] == ("Samedeal" if title == HOME.title else f"{title} · Samedeal")
        assert meta["og:url"] == meta["canonical"] == origin + address, path
        assert meta["og:image"] == f"{origin}/{picture}.png", path
        assert meta["description"] == meta["og:description"] != "", path
        assert meta["og:image:alt"], path
        assert (meta["og:image:width"], meta["og:image:height"]) == ("1200", "630")
        assert (meta["og:site_name"], meta["og:type"]) == ("Samedeal", "website")
        assert meta["twitter:card"] == "summary_large_image"
        linked = address.startswith(("/archive/", "/run/", "/deal/", "/watch/", "/o/", "/c/"))
        assert ("robots" in meta) == (path.startswith("/r/") or linked), path


async def test_a_rooms_preview_names_the_next_game_and_is_not_indexed(
    redis_url: str, page: Path, port: int
) -> None:
    async with opened(port) as host, opened(port) as guest:
        code = await room_of(host, game="robert", seats=4, limit=60, key="k" * 10)
        assert (await preview(port, f"/r/{code}"))["og:title"] == "Race me at Robert"
        terms = {"game": "deuces", "variant": "strict", "limit": 900}
        await host.ask("room.terms", code=code, **terms)
        here = await preview(port, f"/r/{code.lower()}")
        await room_of(guest, game="robert", variant="standard", seats=1, limit=90, key="l" * 10)
        # Another node has to read the room; the preview is the same.
        async with running_node(redis_url, page=page) as other:
            there = await preview(other, f"/r/{code}", Host=f"127.0.0.1:{port}")
    assert here == there
    assert here["og:title"] == "Race me at Deuces"
    about = "Same cards, same start. Single cards only. 15 minutes, 4 seats."
    assert here["og:description"] == about
    assert here["og:url"] == f"http://127.0.0.1:{port}/r/{code}"
    assert here["robots"] == "noindex"


async def test_a_results_preview_names_player_rank_and_score(port: int) -> None:
    async with opened(port) as ada, opened(port) as bob:
        for client, name in ((ada, "Ada O'Neill"), (bob, "Bob")):
            welcome = await client.hello(name=name)
            await client.ask("leaderboard.watch", game="deuces")
            attempt = await give_up_daily(client, "deuces")
        await bob.next("leaderboard", lambda e: e["size"] == 2)
        day, player = attempt["day"], welcome["player"]["id"]
        path = f"/leaderboard/deuces?day={day}&player={player}"
        meta = await preview(port, path)
        without_day = await preview(port, f"/leaderboard/deuces?player={player}")
        unknown = await preview(port, f"/leaderboard/deuces?day={day}&player={ADA}")
        other_day = await preview(port, f"/leaderboard/deuces?day={day - 1}&player={player}")
    assert meta["og:title"] == "Bob at Deuces", "no place without a card brought home"
    about = "8 of 104 home. Same cards for everyone: can you beat it?"
    assert meta["og:description"] == about
    assert meta["og:url"] == f"http://127.0.0.1:{port}{path}"
    assert meta["og:image"].endswith("/preview-deuces.png")
    assert meta == without_day
    assert unknown["og:title"] == f"Deuces, {result_previews.date_words(day)}: leaderboard"
    assert other_day["og:title"] == f"Deuces, {result_previews.date_words(day - 1)}: leaderboard"


@pytest.mark.parametrize(
    ("game", "left", "time", "said", "today"),
    [
        ("deuces", 16, 680_400, "88 of 104 home in 11:20", True),
        # A game without any complete win.
        ("robert", 24, 41_000, "28 home in 0:41", True),
        ("deuces", 0, 3_723_000, "All 104 cards home in 1:02:03", False),
    ],
)
def test_the_text_of_a_result(game: str, left: int, time: int, said: str, *, today: bool) -> None:
    shown = DailyId(game, 47_479)
    standing = Standing(Row(17, ADA, pack(left, time, 150)), 212, Profile(ADA, "Ada"))
    found = result_previews.result(shown, standing, today=today)
    assert found.title == f"Ada: 17th of 212 at {game.title()}"
    more = ": can you beat it?" if today else ", on 29 December 2099."
    assert found.about == f"{said}. Same cards for everyone{more}"


@pytest.mark.parametrize("name", ["נעמי", "ليلى"])
def test_a_right_to_left_name_does_not_scramble_the_title(name: str) -> None:
    standing = Standing(Row(17, ADA, pack(16, 680_400, 150)), 212, Profile(ADA, name))
    found = result_previews.result(DailyId("deuces", 47_479), standing, today=True)
    isolated = f"\N{FIRST STRONG ISOLATE}{name}\N{POP DIRECTIONAL ISOLATE}"
    assert found.title == f"{isolated}: 17th of 212 at Deuces"


def test_ordinals_are_written_as_in_english() -> None:
    spoken = "1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 100th 101st 111th 1013th"
    for each in spoken.split():
        assert result_previews.ordinal(int(each[:-2])) == each


def test_the_texts_of_a_preview_are_escaped() -> None:
    hostile = Preview("<b>\"'&", "</title><script>", '/"><script>', listed=False)
    html = StartPage(INDEX, ["/preview.png"]).page(hostile, "https://play.example.org")
    meta = _Head(html).meta
    assert meta["og:title"] == hostile.title
    assert meta["title"] == f"{hostile.title} · Samedeal"
    assert meta["description"] == hostile.about
    assert meta["og:url"] == meta["canonical"] == "https://play.example.org" + hostile.path
    assert "<script" not in html
    assert "<b>" not in html


async def test_the_operator_can_set_the_origin(redis_url: str, page: Path) -> None:
    where = {"public_url": "https://play.example.org/", "hosts": ("localhost",)}
    async with running_node(redis_url, page=page, **where) as port:
        meta = await preview(port, "/daily", Host="localhost")
    assert meta["og:url"] == "https://play.example.org/daily"
    assert meta["og:image"] == "https://play.example.org/preview.png"


async def test_each_preview_has_an_etag_of_its_own(port: int) -> None:
    tags = set()
    for path, host in (("/", "127.0.0.1"), ("/daily", "127.0.0.1"), ("/", "127.0.0.2")):
        response, _ = await get(port, path, Host=host)
        known = {"Host": host, "If-None-Match": response.headers["ETag"]}
        again, body = await get(port, path, **known)
        assert (again.status, body) == (304, "")
        tags.add(response.headers["ETag"])
    assert len(tags) == 3
    assert (await get(port, "/daily", **known))[0].status == 200


async def test_a_missing_picture_is_left_out(redis_url: str, page: Path) -> None:
    (page / "preview-robert.png").unlink()
    async with running_node(redis_url, page=page) as port:
        meta = await preview(port, "/daily/robert")
    assert meta["og:title"] == "Today’s Robert"
    assert not any(name.startswith("og:image") for name in meta)


@pytest.fixture
def found(node: Node) -> Previews:
    return Previews(node.services.screens, Load(lambda: 0.0), Budgets())


async def path_of_room(node: Node) -> str:
    """Open a room of Robert, and return its path."""
    opened = await node.rooms.create(ADA, "robert", "standard", seats=2, limit=60_000, creation="k")
    return f"/r/{opened.opened.code}"


async def test_previews_leave_nothing_in_redis_or_the_caches(node: Node, found: Previews) -> None:
    before = await node.keys()
    for number in range(2, 10):
        meta = await found.preview(f"/r/{str(number) * 5}", {}, "")
        assert meta.title == "Race me at solitaire"
        player = PlayerId(str(number) * 16)
        await found.preview("/leaderboard/robert", {"day": str(DAY), "player": player}, "")
    assert await node.keys() == before
    assert node.services.live._replicas.size == 0
    assert node.services.profiles.known([player]) is None
    assert not found._reading


async def test_the_reads_for_previews_are_rate_limited(
    redis_url: str, page: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(previews, "READS", Rate(1e-9, 2.0))
    here = port
    async with (
        running_node(redis_url, page=page) as there,
        opened(here) as one,
        opened(here) as two,
        opened(here) as three,
    ):
        hosts = {"a": one, "b": two, "c": three}
        codes = [await room_of(host, key=key * 10) for key, host in hosts.items()]
        titles = [(await preview(there, f"/r/{code}"))["og:title"] for code in codes]
        # This node has the rooms in memory.
        known = [(await preview(here, f"/r/{code}"))["og:title"] for code in codes]
    assert titles == ["Race me at Robert", "Race me at Robert", "Race me at solitaire"]
    assert known == ["Race me at Robert"] * 3


async def test_requests_for_a_preview_within_seconds_share_one_read(
    node: Node, found: Previews
) -> None:
    path = await path_of_room(node)
    before = await calls(node.redis, "xrange")
    at_once = await asyncio.gather(*(found.preview(path, {}, "192.0.2.1") for _ in range(20)))
    later = [await found.preview(path, {}, f"192.0.2.{number}") for number in range(20)]
    assert {meta.title for meta in (*at_once, *later)} == {"Race me at Robert"}
    assert await calls(node.redis, "xrange") == before + 1
    found._kept.clear()
    assert (await found.preview(path, {}, "192.0.2.1")).title == "Race me at Robert"
    assert await calls(node.redis, "xrange") == before + 2
    assert not found._asked


async def test_each_client_pays_for_a_guess_shared_with_others(
    few: Callable[..., None], node: Node, found: Previews
) -> None:
    few(PLAYER_MISSES=2.0, ADDRESS_MISSES=2.0)
    often, once = "192.0.2.1", "192.0.2.2"
    path = await path_of_room(node)
    before = await calls(node.redis, "xrange")
    await asyncio.gather(*(found.preview("/r/22222222", {}, each) for each in (often, once, often)))
    assert await calls(node.redis, "xrange") == before + 1
    assert (await found.preview(path, {}, once)).title == "Race me at Robert"
    assert (await found.preview(path, {}, often)).title == "Race me at solitaire"


async def test_a_preview_does_not_help_to_guess_codes(few: Callable[..., None], port: int) -> None:
    few(PLAYER_MISSES=2.0, ADDRESS_MISSES=2.0)
    async with opened(port) as host, opened(port) as guest:
        code = await room_of(host)
        for _ in range(2):
            assert (await preview(port, f"/r/{code}"))["og:title"] == "Race me at Robert"
            await preview(port, "/r/22222222")
        assert (await preview(port, f"/r/{code}"))["og:title"] == "Race me at solitaire"
        # Guests with the code can still join.
        await guest.hello()
        assert (await guest.ask("room.join", code=code))["type"] == "room"


async def test_an_overloaded_node_reads_nothing_for_previews(node: Node) -> None:
    path = await path_of_room(node)
    for lag, title in ((0.0, "Race me at Robert"), (1e9, "Race me at solitaire")):
        found = Previews(node.services.screens, Load(partial(float, lag)), Budgets())
        assert (await found.preview(path, {}, "")).title == title


async def test_the_page_is_served_while_redis_is_unavailable(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Few reads may be pending, for a short time, while commands wait for a hanging Redis.
    monkeypatch.setattr(previews, "READ_WITHIN", 0.3)
    monkeypatch.setattr(previews, "MAX_READS", 4)
    with running_server() as server:
        async with running_node(server.url, page=page) as port, opened(port) as host:
            code = await room_of(host)
            async with running_node(server.url, page=page) as other:
                server.signal(SIGSTOP)
                try:
                    path = f"/leaderboard/robert?player={ADA}"
                    wanted = [f"/r/{code}", path] * 6
                    async with asyncio.timeout(PATIENCE / 2):
                        found = await asyncio.gather(*(preview(other, each) for each in wanted))
                    # This node has the room in memory.
                    known = await preview(port, f"/r/{code}")
                finally:
                    server.signal(SIGCONT)
                day = days.day_at(int((await host.ask("ping"))["now"]))
                while (await preview(other, f"/r/{code}"))["og:title"] != known["og:title"]:
                    await asyncio.sleep(0.1)
    assert known["og:title"] == "Race me at Robert"
    for meta in found[::2]:
        assert meta["og:title"] == "Race me at solitaire"
        # The shortened preview still links to the room.
        assert meta["og:url"].endswith(f"/r/{code}")
    for meta in found[1::2]:
        assert meta["og:title"] == f"Robert, {result_previews.date_words(day)}: leaderboard"
        assert meta["og:url"].endswith(f"/leaderboard/robert?day={day}&player={ADA}")


def test_the_page_has_a_place_for_previews_and_a_picture_of_every_game() -> None:
    StartPage((WEB / "index.html").read_text(encoding="utf-8"), ())
    for name in ("preview", *(f"preview-{game}" for game in games())):
        picture = (WEB / "public" / f"{name}.png").read_bytes()
        assert picture.startswith(b"\x89PNG\r\n\x1a\n")
        size = int.from_bytes(picture[16:20]), int.from_bytes(picture[20:24])
        assert size == (start_page.WIDTH, start_page.HEIGHT)
        assert len(picture) < 100_000
