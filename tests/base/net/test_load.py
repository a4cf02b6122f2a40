"""Load shedding: new sockets and rooms are refused, but moves are not."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict
from websockets.exceptions import InvalidStatus

from server.base.net import load
from server.base.net.load import RETRY_AFTER_MS, Load
from tests.base.redis.servers import until
from tests.clients.client import opened
from tests.clients.play import KEY, race_of
from tests.conftest import ALONE, node

pytestmark = [ALONE, pytest.mark.usefixtures("short_countdown")]


def test_a_late_event_loop_is_an_overload() -> None:
    late = load.MAX_LAG
    node = Load(lambda: late)
    assert not node.is_too_high
    late += 0.01
    assert node.is_too_high


async def test_the_start_and_end_of_an_overload_are_logged_once(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "MAX_LAG", -1.0)
    monkeypatch.setattr(load, "QUIET", 0.0)
    with capture_logs() as logs:
        async with node(redis_url):
            await until(lambda: overload_events(logs))
            monkeypatch.setattr(load, "MAX_LAG", 1e9)
            await until(lambda: len(overload_events(logs)) >= 2)
    assert overload_events(logs) == ["overload_begun", "overload_over"]


def overload_events(logs: list[EventDict]) -> list[str]:
    return [line["event"] for line in logs if line["event"].startswith("overload")]


def test_refused_clients_get_different_times_to_wait() -> None:
    waits = {Load.wait() for _ in range(100)}
    assert RETRY_AFTER_MS[0] <= min(waits) < max(waits) <= RETRY_AFTER_MS[1]


async def test_overload_refuses_new_sockets_and_rooms_before_any_move(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(port) as client:
        (attempt,) = await race_of(client)
        monkeypatch.setattr(load, "MAX_LAG", -1.0)
        with pytest.raises(InvalidStatus) as refused:
            async with opened(port, patient=False):
                pass
        response = refused.value.response
        assert response.status_code == 503
        assert RETRY_AFTER_MS[0] <= 1000 * int(response.headers["Retry-After"]) <= RETRY_AFTER_MS[1]
        room = {"game": "robert", "seats": 1, "limit": 60, "key": KEY}
        answer = await client.ask("room.create", **room)
        assert answer["code"] == "overloaded"
        assert RETRY_AFTER_MS[0] <= answer["wait"] <= RETRY_AFTER_MS[1]
        moved = await client.ask("move", attempt=attempt["attempt"], seq=2, move="s>w")
        assert moved["type"] == "moved"
        monkeypatch.undo()
        assert (await client.ask("room.create", **room))["type"] == "room"
