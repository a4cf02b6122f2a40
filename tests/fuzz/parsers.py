"""Targets for frames, and for texts from messages, URLs and headers: parse or refuse them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from ipaddress import ip_address, ip_network
from typing import Any, TypeVar

import msgpack
import msgspec
from starlette.datastructures import Headers
from starlette.requests import Request

from server.accounts import passkeys
from server.base.core import codes, ids
from server.base.core.ids import PlayerId
from server.base.core.refusal import HttpRefusals, Refusal
from server.base.net.addresses import Proxies, wide_of
from server.base.net.origins import Origins
from server.base.seals import tokens
from server.base.web.api.app import asked_of
from server.base.web.api.problems import status_of
from server.base.web.api.route import Route, day_of, deal_of, game_of, player_of, run_of
from server.base.web.content import content_of
from server.base.wire.codec import OldProtocolError
from server.base.wire.lenient import BadMessageError
from server.circles.preview import of_invitation
from server.dailies.preview import of_daily, of_day
from server.play.messages import FIRST_NUMBER, LAST_NUMBER
from server.players.core import names
from server.players.core.names import Profile
from server.players.name_lists import name_lists
from server.protocol import decode
from server.routes import ROUTES
from server.runs.preview import of_deal, of_run
from server.watching.preview import of_watch_link
from tests.test_protocol import EXAMPLES

MAX_SENTENCE = 400
"""The most characters of a refusal's text: it does not repeat the input."""

PLAYER = PlayerId("0123456789abcdef")

Reader = Callable[[str], object]

T = TypeVar("T")


def codec(data: bytes) -> None:
    """Decode a frame; a command must survive encoding and decoding unchanged."""
    try:
        command = decode(data)
    except OldProtocolError:
        return
    except BadMessageError as error:
        _check_refusal(error)
        return
    again = msgpack.packb(msgspec.to_builtins(command))
    assert decode(again) == command


def _check_refusal(error: BadMessageError) -> None:
    assert 0 < len(error.text) <= MAX_SENTENCE
    match error.re:
        case (number, seq):
            assert FIRST_NUMBER <= number <= LAST_NUMBER
            assert seq > 0
        case command_id:
            assert isinstance(command_id, int)
            assert 0 <= command_id < 2**53


def codec_seeds() -> list[bytes]:
    """Return the commands in PROTOCOL.md, and the events, which are no commands."""
    return [msgpack.packb(example.value) for example in EXAMPLES]


def texts(data: bytes) -> None:
    """Pass a text to the reader chosen by the first byte; a refusal must have a short sentence."""
    if not data:
        return
    reader = READERS[data[0] % len(READERS)]
    refusal = _refusal_of(reader, data[1:].decode(errors="replace"))
    if refusal is not None:
        assert 0 < len(refusal.text) <= MAX_SENTENCE


def _refusal_of(reader: Callable[[T], object], given: T) -> Refusal | None:
    try:
        reader(given)
    except Refusal as refusal:
        return refusal
    return None


def _token(text: str) -> None:
    said = tokens.parse(text)
    assert ids.is_id(said.player)
    # The form is exact, so that a token has only one spelling.
    assert tokens.sign(b"key", said).rpartition(".")[0] == text.rpartition(".")[0]
    with suppress(Refusal):
        tokens.verify(b"another key", text, said)
        raise AssertionError(f"{text} is signed with an unknown key")


def _code(text: str) -> None:
    code = codes.parse_code(text)
    if code is not None:
        assert codes.parse_code(codes.shown_code(code)) == code
    room = codes.parse_room_code(text)
    assert codes.parse_room_code(room) == room


_NAMES = name_lists()


def _name(text: str) -> None:
    name = names.clean_name(text)
    assert 1 <= len(name) <= names.MAX_LENGTH
    assert names.clean_name(name) == name
    assert name.isprintable()
    _NAMES.clean(text)


_PROXIES = Proxies(["127.0.0.0/8", "::1", "fd00::/8"])


def _forwarded(text: str) -> None:
    key = _PROXIES.client("127.0.0.1", text.split("\n"))
    if key:
        found = ip_network(key) if "/" in key else ip_address(key)
        wide = wide_of(key)
        assert wide is None or ip_network(wide).supernet_of(found)  # type: ignore[arg-type]
    _PROXIES.looks_forgotten(text)


_ORIGINS = (
    Origins(proxies=_PROXIES),
    Origins("https://play.example.org", ["other.example.org"], ["https://more.example"]),
)


def _origin(text: str) -> None:
    host, _, rest = text.partition("\n")
    origin, _, scheme = rest.partition("\n")
    headers = {"host": host, "origin": origin, "x-forwarded-proto": scheme}
    own, public = _ORIGINS
    for each in _ORIGINS:
        each.serves(host)
        each.origin(headers, "127.0.0.1")
    if own.admits(headers, "127.0.0.1"):
        assert origin.removeprefix("https://").removeprefix("http://") != origin
    if public.admits(headers, "127.0.0.1") and public.serves(host):
        assert origin.startswith("http")


def _ids(text: str) -> None:
    for read in (game_of, deal_of, run_of, player_of, day_of):
        refusal = _refusal_of(read, text)
        assert refusal is None or status_of(refusal.code) is HTTPStatus.NOT_FOUND


def _read_query(route: Route[Any], scope: dict[str, Any]) -> None:
    # The encoded form is the answer's cache key.
    msgspec.json.encode(asked_of(route, Request(scope)))


def _query(text: str) -> None:
    """Read a query and path fields with the types of all routes."""
    query, *parts = text.split("\n")
    for route in ROUTES:
        scope = {
            "type": "http",
            "query_string": query.encode(),
            "path_params": dict(zip(route.in_path, parts, strict=False)),
        }
        refusal = _refusal_of(partial(_read_query, route), scope)
        assert refusal is None or refusal.code == HttpRefusals.bad_request


_CONTENT = content_of(b"content", {}, {"br": b"br", "gzip": b"gzip"})


def _negotiation(text: str) -> None:
    coding, _, tags = text.partition("\n")
    raw = [(b"accept-encoding", coding.encode()), (b"if-none-match", tags.encode())]
    assert _CONTENT.answer(Headers(raw=raw)).status_code in {200, 304}


_SITE = passkeys.Site("https://play.example.org")


def _passkey(text: str) -> None:
    with suppress(Refusal):
        passkeys.created(_SITE, b"challenge", Profile(PLAYER, "Anna"), text)
        raise AssertionError("a passkey without its challenge")
    passkeys.credential_id(text)


def _link(text: str) -> None:
    for screen in (of_watch_link, of_run, of_deal, of_invitation, of_daily, of_day):
        shown = screen([part for part in text.split("/") if part], {})
        if shown is not None:
            assert shown.generic.path.isprintable()
            assert not set(shown.generic.path) & set("<>\"'& ")


READERS: tuple[Reader, ...] = (
    *(_token, _code, _name, _forwarded, _origin),
    *(_ids, _query, _negotiation, _passkey, _link),
)
"""The readers, by the first byte of an input.

Append only, so that kept inputs keep their reader.
"""

WORDS = (
    *(
        b"0123456789abcdef",
        b"robert",
        b"2026-11-23",
        b"day",
        b"from",
        b"count",
        b"before",
        b"H7KQ2",
    ),
    *(b"127.0.0.1", b"2001:db8::1", b"::ffff:10.0.0.1", b"%eth0", b"https://", b"play.example.org"),
    *(
        b'{"id":"',
        b'"response":{"',
        b"clientDataJSON",
        b"attestationObject",
        b"public-key",
        b"rawId",
    ),
    *(b"gzip;q=0", b"br", b'W/"', "\u0430\u0434".encode(), "\u0301".encode(), "\u202e".encode()),
)

_SEEDS: dict[Reader, list[str]] = {
    _token: [
        tokens.sign(b"key", tokens.Token(PLAYER, 0, "0123456789ab", 1_795_000_000)),
        tokens.sign(b"key", tokens.Token(PLAYER, 7, "fedcba987654", 1)),
    ],
    _code: ["K3MQ7-W2R5T", "k3mq 7w2r k3mq 7w2r k3mq", "oil\u2011"],
    _name: [
        "Anna",
        "a\u0301o\u0302",
        "\u0430\u0434\u043c\u0438\u043d",
        "\u4e00\u3042A",
        "\u1e9e 9",
    ],
    _forwarded: ["10.0.0.1, 127.0.0.1", "2001:db8::1\n::1", "fd00::1,[::1]:80", "::ffff:1.2.3.4"],
    _origin: [
        "localhost:8000\nhttp://localhost:8000\nhttps",
        "play.example.org\nhttps://play.example.org",
        "[::1]:443\nhttps://[::1]\nhttps",
    ],
    _ids: ["robert", "2026-11-23", PLAYER, f"{PLAYER}.{PLAYER}"],
    _query: [
        "from=1&count=50\nrobert\n2026-11-23",
        f"player={PLAYER}\n{PLAYER}",
        "before=2026-11\nrobert",
        "from=%31&from=2",
    ],
    _negotiation: ['br;q=1.0, gzip;q=0\nW/"x", *', "gzip", "identity;q=0"],
    _passkey: [
        '{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"AA",'
        '"attestationObject":"AA","authenticatorData":"AA","signature":"AA"}}',
        '{"id":"AA","rawId":"AA","type":"public-key","response":[]}',
        "[" * 3_000,
    ],
    _link: [f"H7KQ2W3X/{PLAYER}", f"{PLAYER}.{PLAYER}", PLAYER],
}


def text_seeds() -> list[bytes]:
    """Return one or two valid inputs for each reader."""
    return [
        bytes([READERS.index(reader)]) + text.encode()
        for reader, some in _SEEDS.items()
        for text in some
    ]
