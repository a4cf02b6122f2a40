"""The application on the players' port, without a server around it."""

from __future__ import annotations

from typing import cast

import pytest
from starlette.types import Message

from server.base.net.origins import Origins
from server.base.web.api.app import Api
from server.base.web.http import LIVE_PATH, Health, PlayersApp
from server.base.web.pages import Pages


async def test_an_error_is_answered_and_raised() -> None:
    def broken() -> bool:
        raise RuntimeError("broken")

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request"}

    # A health check needs neither page nor interface.
    pages, api = cast("Pages", None), cast("Api", None)
    app = PlayersApp(pages, api, Origins(), Health(broken, broken, str))
    with pytest.raises(RuntimeError, match="broken"):
        await app(
            {"type": "http", "method": "GET", "path": LIVE_PATH, "headers": []}, receive, send
        )
    assert sent[0]["status"] == 500
    assert b"broken" not in sent[1]["body"]
