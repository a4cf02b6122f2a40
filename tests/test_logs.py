"""Logs: their form, what they contain, and secrets that they never contain."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from engine.board import Board
from server.core import attempt
from server.core.ids import DealId
from server.logs import configure
from server.service.rooms import Rooms
from server.store.connection import connect
from server.store.deals import Deals
from tests.conftest import database_on, node, secret_keys
from tests.gateway.client import opened
from tests.gateway.play import resign


@pytest.fixture
def log(capsys: pytest.CaptureFixture[str]) -> Iterator[pytest.CaptureFixture[str]]:
    """Log JSON at the level debug, as a node without a terminal does."""
    before, level = logging.root.handlers[:], logging.root.level
    configure("json", "debug")
    yield capsys
    structlog.reset_defaults()
    logging.root.handlers[:] = before
    logging.root.setLevel(level)


def test_records_of_libraries_are_logged_in_the_same_form(log: pytest.CaptureFixture[str]) -> None:
    def fail(secret: str) -> None:
        raise ValueError(len(secret))

    library = logging.getLogger("uvicorn.error")
    try:
        fail("hid" + "den")
    except ValueError:
        library.exception("Exception in %s", "ASGI application")
    library.info("Finished")
    output = log.readouterr().err
    (line,) = map(json.loads, output.splitlines())
    assert (line["event"], line["level"]) == ("Exception in ASGI application", "error")
    assert line["logger"] == "uvicorn.error"
    (failed,) = line["exception"]
    assert (failed["exc_type"], failed["exc_value"]) == ("ValueError", "6")
    assert "hidden" not in output


async def test_logs_name_session_player_and_attempt_and_contain_no_secret(
    log: pytest.CaptureFixture[str], redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with node(redis_url) as port, opened(port) as client:
        welcome = await client.hello()
        daily = await client.ask("daily.open", game="robert")
        await client.ask("move", attempt=daily["attempt"], seq=2, move="s>w")
        await client.ask("move", attempt=daily["attempt"], seq=3, move="w>s")

        async def broken_join(*_: object) -> None:
            raise RuntimeError("no secret here")

        monkeypatch.setattr(Rooms, "join", broken_join)
        assert (await client.ask("room.join", code="ZZZZZ"))["code"] == "internal"

        def broken(board: Board) -> bool:
            raise RuntimeError(f"no secret here, but {len(board.piles)} piles are at hand")

        monkeypatch.setattr(attempt, "is_stuck", broken)
        answer = await client.ask("move", attempt=daily["attempt"], seq=3, move="s>w")
        assert answer["code"] == "internal"
        monkeypatch.undo()
        await resign(client, {**daily, "seq": 2})
    database = database_on(connect(redis_url))
    deal = await Deals(database, secret_keys()).find(DealId(daily["deal"]))
    await database.close()

    output = log.readouterr().err
    lines = [json.loads(line) for line in output.splitlines()]
    joined, failed = [line for line in lines if line["event"] == "command_failed"]
    assert failed["attempt"] == daily["attempt"]
    assert failed["player"] == welcome["player"]["id"]
    assert failed["session"]
    assert failed["exception"]
    assert joined["room"] == "ZZZZZ"
    assert joined["session"] == failed["session"]
    assert deal is not None
    for secret in (welcome["token"], deal.seed.hex(), repr(deal.seed), "piles=", "x7f"):
        assert secret not in output
