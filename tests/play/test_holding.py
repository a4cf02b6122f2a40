"""Sessions of one player that show the same attempt, without sockets."""

from __future__ import annotations

import asyncio

import pytest

from server.base.core.ids import AttemptId
from server.play.core.bus import Taken
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


async def test_the_later_of_two_takeovers_wins_although_its_nodes_clock_is_behind(
    hubs: list[HubNode],
) -> None:
    phone = await hubs[0].seat()
    opened = await phone.ask("daily.open", game="robert")
    desk = await hubs[1].seat(phone.token)
    attempt = AttemptId(opened["attempt"])
    await desk.ask("attempt.open", attempt=attempt)
    hubs[0].services.holding.take(phone.session, attempt)
    phone.session.shown.taken_at += 60_000
    await desk.next("taken")
    assert phone.session.player is not None
    ahead = Taken(
        phone.session.player, attempt, phone.session.id, phone.session.shown.taken_at, None
    )
    hubs[1].services.holding._taken_elsewhere(ahead)
    hubs[1].services.holding.take(desk.session, attempt)
    await phone.next("taken")
    assert desk.session.shown.held == attempt
    assert phone.session.shown.held is None
