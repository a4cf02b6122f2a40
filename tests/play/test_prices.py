"""Prices of moves and commands on attempts, compared with the work that they cause."""

from __future__ import annotations

from typing import Any

import pytest

from engine.moves import legal_moves
from engine.notation import move_text
from server.base.core.ids import AttemptId
from server.base.journals.cache import ReplicaCache
from server.play.resume import MAX_MISSED
from tests.clients.seats import HubNode, Seat
from tests.conftest import ALONE
from tests.nodes import Node
from tests.play.test_resume_handlers import have
from tests.prices import Prices, same, varied

pytestmark = ALONE

TERMS: dict[str, Any] = {"limit": 7_200, "open_for": 7_200, "help": "hints", "target": False}


async def begun(seat: Seat, game: str, variant: str = "standard", key: str = "some key") -> Any:
    """Start an attempt with all help, and return it."""
    made = await seat.ask("CreateChallenge", game=game, variant=variant, key=key, **TERMS)
    return await seat.ask("PlayChallenge", challenge=made["challenge"])


async def play(node: Node, seat: Seat, attempt: Any, count: int) -> None:
    for _ in range(count):
        state = await node.state_of(AttemptId(attempt["attempt"]))
        rules, moves = state.board.ruleset, legal_moves(state.board)
        if not moves:
            return
        move = next((each for each in moves if each.source == rules.stock), moves[-1])
        given = {"seq": state.seq + 1, "move": move_text(rules, move)}
        await seat.ask("move", attempt=attempt["attempt"], **given)


@pytest.mark.parametrize(
    ("game", "variant", "count"),
    [
        ("robert", "standard", 3),
        ("klondike", "standard", 150),
        ("spider", "standard", 3),
        ("klondike", "stock.turns=2", 3),
    ],
)
async def test_prices_in_play_follow_from_the_work(
    hub: HubNode, monkeypatch: pytest.MonkeyPatch, game: str, variant: str, count: int
) -> None:
    prices, bob = Prices(hub.node, monkeypatch), await hub.seat()
    await prices.count_baseline(bob)
    attempt = await begun(bob, game, variant)
    this = {"attempt": attempt["attempt"]}
    await play(hub.node, bob, attempt, count)

    async def next_seq() -> int:
        return (await hub.node.state_of(AttemptId(attempt["attempt"]))).seq + 1

    def unread(_: int) -> dict[str, Any]:
        hub.node.services.attempts._replicas = ReplicaCache()
        return this

    await prices.count(bob, "attempt.open", "in memory", same(**this))
    await prices.count(bob, "attempt.open", "not in memory", unread)
    known = have(await bob.ask("attempt.open", **this))
    await prices.count(bob, "attempt.open", "that is known", same(**this, have=known))
    await play(hub.node, bob, attempt, min(count, MAX_MISSED))
    behind = {"have": known}
    await prices.count(bob, "attempt.open", "that is missed", same(**this, **behind))
    await prices.count(bob, "attempt.open", "that is missed, not in memory",
                       lambda number: unread(number) | behind)  # fmt: skip

    async def go_on() -> None:
        await play(hub.node, bob, attempt, 1)

    first = await next_seq()
    hints = varied("seq", [first, first + 2, first + 4], **this)
    await prices.count(bob, "Hint", "once", hints, undo=go_on)
    first = await next_seq()
    await prices.count(bob, "Undo", "once", varied("seq", [first, first + 1, first + 2], **this))
    board = (await hub.node.state_of(AttemptId(attempt["attempt"]))).board
    move, first = move_text(board.ruleset, legal_moves(board)[0]), await next_seq()

    async def undo() -> None:
        await bob.ask("Undo", **this, seq=await next_seq())

    moves = varied("seq", [first, first + 2, first + 4], **this, move=move)
    await prices.count(bob, "move", "once", moves, undo=undo)
    others = [await begun(bob, game, variant, f"another {number}") for number in range(3)]
    given = varied("attempt", [each["attempt"] for each in others], seq=2)
    await prices.count(bob, "resign", "a new one", given)
    await bob.ask("resign", **this, seq=await next_seq())
    hub.node.clock.time += 7_200_001
    await prices.count(bob, "GetRun", "of the attempt", same(**this))
    prices.check("play", is_repeated=True)
