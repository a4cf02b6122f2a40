"""The sender withstands misbehaving servers."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from server.base.outbound import sender as senders
from server.base.outbound.core.post import Answer, Outgoing
from server.base.outbound.sender import MAX_SENT, Sender, SendError
from tests.base.outbound.receiver import (
    OK,
    Respond,
    certified,
    endless_body,
    forever,
    never,
    receiving,
)
from tests.fixtures import BOTH_LOOPS

pytestmark = BOTH_LOOPS

BODY = b'{"a":1}'


def to(url: str, body: bytes = BODY) -> Outgoing:
    return Outgoing(url, {"Content-Type": "application/json"}, body)


async def reason(sender: Sender, url: str) -> str:
    with pytest.raises(SendError) as caught:
        await sender.send(to(url))
    return caught.value.reason


def resolving(*addresses: str) -> senders.Resolve:
    async def resolve(host: str) -> list[str]:
        del host
        return list(addresses)

    return resolve


async def test_a_request_is_posted_and_its_status_returned() -> None:
    async with receiving() as receiver:
        answer = await Sender(local=True).send(to(receiver.url(path="/hook?a=b")))
        assert answer == Answer(204)
        got = receiver.received.get_nowait()
        assert (got.line, got.body) == ("POST /hook?a=b HTTP/1.1", BODY)
        assert got.headers["host"] == f"127.0.0.1:{receiver.port}"
        assert got.headers["content-type"] == "application/json"


async def test_a_server_says_how_long_to_wait() -> None:
    busy = b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 429 Slow\r\nRetry-After: 7\r\n\r\n"
    async with receiving(busy) as receiver:
        assert await Sender(local=True).send(to(receiver.url())) == Answer(429, 7_000)


async def test_a_redirection_is_not_followed() -> None:
    async with receiving() as inside:
        moved = f"HTTP/1.1 307 Moved\r\nLocation: {inside.url()}\r\n\r\n".encode()
        async with receiving(moved) as receiver:
            assert await Sender(local=True).send(to(receiver.url())) == Answer(307)
        assert inside.received.empty()


async def test_a_silent_server_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(senders, "TIMEOUT", 0.2)
    async with receiving(never) as receiver:
        assert await reason(Sender(local=True), receiver.url()) == "time"


@pytest.mark.parametrize(
    "answer",
    [forever, b"SSH-2.0-OpenSSH_9.9\r\n", b"", b"HTTP/1.1 200 OK\r\nX: y\r\n"],
    ids=["endless", "no HTTP", "nothing", "half"],
)
async def test_an_invalid_answer_is_a_failure(answer: bytes | Respond) -> None:
    async with receiving(answer) as receiver:
        assert await reason(Sender(local=True), receiver.url()) == "answer"


async def test_the_sender_does_not_wait_for_the_end_of_an_answer() -> None:
    async with receiving(endless_body) as receiver:
        assert await Sender(local=True).send(to(receiver.url())) == Answer(200)


async def test_a_body_has_its_limit() -> None:
    async with receiving() as receiver:
        with pytest.raises(SendError, match="url"):
            await Sender(local=True).send(to(receiver.url(), b"a" * (MAX_SENT + 1)))


async def test_a_refused_connection_is_a_failure() -> None:
    async with receiving() as receiver:
        url = receiver.url()
    assert await reason(Sender(local=True), url) == "connection"


@pytest.mark.parametrize(
    "url", ["http://example.org/", "https://127.0.0.1/", "https://localhost/", "https://a.org:22/"]
)
async def test_only_https_urls_with_names_are_allowed(url: str) -> None:
    assert await reason(Sender(), url) == "url"


@pytest.mark.parametrize("address", ["127.0.0.1", "169.254.169.254", "::1", "64:ff9b::7f00:1"])
async def test_a_name_with_a_private_address_is_refused(address: str) -> None:
    sender = Sender(resolve=resolving(address))
    assert await reason(sender, "https://inside.example.org/") == "address"


async def test_a_name_is_resolved_once_and_the_checked_address_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A name server gains nothing by answering with a public address first, then a private one."""
    answers = [["8.8.8.8", "127.0.0.1"], ["127.0.0.1"]]
    connected: list[str] = []

    async def resolve(host: str) -> list[str]:
        assert host == "rebinding.example.org"
        return answers.pop(0)

    async def connect(host: str, port: int, **how: object) -> None:
        connected.append(host)
        assert (port, how["server_hostname"]) == (443, "rebinding.example.org")
        raise ConnectionRefusedError

    monkeypatch.setattr(asyncio, "open_connection", connect)
    sender = Sender(resolve=resolve)
    assert await reason(sender, "https://rebinding.example.org/") == "connection"
    assert (connected, len(answers)) == (["8.8.8.8"], 1)


async def test_an_unknown_name_is_a_failure() -> None:
    async def resolve(host: str) -> list[str]:
        raise OSError(host)

    assert await reason(Sender(resolve=resolve), "https://nowhere.example.org/") == "name"


async def test_the_certificate_must_match_the_name(tmp_path: Path) -> None:
    own = certified(name := "hooks.example.org", tmp_path)
    async with receiving(OK, tls=own.server) as receiver:
        sender = Sender(local=True, trust=lambda: own.trust, resolve=resolving("127.0.0.1"))
        assert await sender.send(to(receiver.url(name, "https"))) == Answer(204)
        assert receiver.received.get_nowait().headers["host"] == f"{name}:{receiver.port}"
        assert await reason(sender, receiver.url("other.example.org", "https")) == "tls"
        stranger = Sender(local=True, resolve=resolving("127.0.0.1"))
        assert await reason(stranger, receiver.url(name, "https")) == "tls"
        assert receiver.received.empty()


async def test_the_second_address_is_tried_if_the_first_refuses() -> None:
    async with receiving() as receiver:
        sender = Sender(local=True, resolve=resolving("127.9.9.9", "127.0.0.1"))
        assert await sender.send(to(receiver.url("two.example.org"))) == Answer(204)
