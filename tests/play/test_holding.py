"""Sessions of one player that show the same attempt, without sockets."""

from __future__ import annotations

import asyncio

import pytest

from server.base.core.ids import AttemptId
from tests.clients.seats import HubNode
from tests.conftest import ALONE
from tests.processes import PATIENCE

pytestmark = ALONE


@pytest.mark.parametrize("has_left", [False, True])
async def test_a_session_that_has_left_takes_no_attempt(hub: HubNode, *, has_left: bool) -> None:
    """A command can finish after its connection has ended."""
    phone = await hub.seat()
    desk, _ = await hub.seat(phone.token), await hub.seat(phone.token)
    opened = await phone.ask("daily.open", game="robert")
    if has_left:
        left = asyncio.Event()
        hub.hub.left.subscribe(lambda _: left.set())
        desk.leave()
        await asyncio.wait_for(left.wait(), PATIENCE)
    hub.services.holding.take(desk.session, AttemptId(opened["attempt"]))
    assert bool(phone.received("taken")) != has_left
