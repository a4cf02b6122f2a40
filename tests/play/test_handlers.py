"""Moves over real sockets: each is answered and stored, and none is played twice."""

from __future__ import annotations

from typing import Any

import pytest

from engine.cards import UNSEEN, parse_card
from engine.catalog import games, ruleset
from engine.deal import deal_seed
from engine.moves import legal_moves
from engine.notation import move_text
from engine.wire import read_view
from server.base.core.ids import DealId
from server.base.redis.connection import connect
from server.deals.store import DealStore
from tests.clients.client import Client, Message, opened
from tests.clients.play import race_of
from tests.conftest import ALONE, database_on, node, secret_keys
from tests.engine import positions

pytestmark = [ALONE, pytest.mark.usefixtures("short_countdown")]


def shown(attempt: Message) -> dict[str, Any]:
    return {key: attempt[key] for key in ("seq", "piles", "redeals", "result")}


def after(piles: dict[str, str], answer: Message) -> dict[str, str]:
    changed = dict(piles)
    for pile, take, put in answer["changes"]:
        changed[pile] = changed[pile][: len(changed[pile]) - 2 * take] + put
    return changed


async def deal_first(client: Client, attempt: Message, count: int = 3) -> list[Message]:
    return [
        await client.ask("move", attempt=attempt["attempt"], seq=attempt["seq"] + n, move="s>w")
        for n in range(1, count + 1)
    ]


def first_move(attempt: Message) -> str:
    rules = ruleset(attempt["game"])
    texts = [attempt["piles"][name] for name in rules.pile_names]
    names = [[text[at : at + 2] for at in range(0, len(text), 2)] for text in texts]
    piles = [[UNSEEN if name == "??" else parse_card(name) for name in pile] for pile in names]
    return min(move_text(rules, move) for move in legal_moves(read_view(rules, piles)))


@pytest.mark.parametrize("game", list(games()))
async def test_a_move_is_answered_by_its_changes(port: int, game: str) -> None:
    async with opened(port) as client:
        (attempt,) = await race_of(client, game=game)
        move = first_move(attempt)
        answer = await client.ask("move", attempt=attempt["attempt"], seq=2, move=move)
        assert (answer["type"], answer["result"]["moves"]) == ("moved", 1)
        snapshot = await client.ask("attempt.open", attempt=attempt["attempt"])
        assert snapshot["piles"] == after(attempt["piles"], answer)


async def test_moves_can_be_pipelined(port: int) -> None:
    async with opened(port) as client:
        (attempt,) = await race_of(client)
        sent = [
            client.send("move", attempt=attempt["attempt"], seq=n, move="s>w") for n in range(2, 32)
        ]
        answers = [await answer for answer in sent]
        assert [answer["seq"] for answer in answers] == list(range(2, 32))


async def test_a_resent_move_gets_its_first_answer_again(port: int) -> None:
    async with opened(port) as client:
        (attempt,) = await race_of(client)
        first = await deal_first(client, attempt)
        again = await deal_first(client, attempt)
        assert [{**a, "re": 0} for a in again] == [{**a, "re": 0} for a in first]
        snapshot = await client.ask("attempt.open", attempt=attempt["attempt"])
        assert snapshot["result"]["moves"] == 3


@pytest.mark.parametrize(
    ("move", "code"),
    [
        ("w>f0", "illegal_move"),
        ("s>f0", "illegal_move"),
        ("w>s", "illegal_move"),
        ("f0>w", "illegal_move"),
        ("t0>f0", "bad_move"),
        ("s>t", "bad_move"),
        ("s>wx2", "bad_move"),
        ("", "bad_move"),
        ("s>w ", "bad_move"),
    ],
)
async def test_a_wrong_move_is_refused_and_its_number_free(port: int, move: str, code: str) -> None:
    async with opened(port) as client:
        (attempt,) = await race_of(client)
        refused = await client.ask("move", attempt=attempt["attempt"], seq=2, move=move)
        assert refused["code"] == code
        (played,) = await deal_first(client, attempt, 1)
        assert played["seq"] == 2


async def test_a_dropped_socket_resumes_with_nothing_lost(port: int) -> None:
    async with opened(port) as client:
        token = (await client.hello())["token"]
    async with opened(port) as client:
        await client.hello(token)
        room = await client.ask("room.create", game="robert", seats=1, limit=600, key="k" * 8)
        await client.ask("room.start", code=room["code"])
        attempt = await client.next("attempt")
        answers = await deal_first(client, attempt)
        # Cut the connection with a move in flight, and never read its answer.
        client.send("move", attempt=attempt["attempt"], seq=5, move="s>w")
        client.socket.transport.abort()
    async with opened(port) as client:
        await client.hello(token)
        await client.ask("room.join", code=room["code"])
        assert (await client.next("attempt"))["seq"] in {4, 5}
        resent = await client.ask("move", attempt=attempt["attempt"], seq=5, move="s>w")
        assert (resent["result"]["moves"], answers[-1]["result"]["moves"]) == (4, 3)


async def test_two_nodes_never_fork_an_attempt(redis_url: str) -> None:
    """The player's older session keeps sending while a newer one is on another node."""
    async with node(redis_url) as here, node(redis_url) as there:
        async with opened(here) as old:
            token = (await old.hello())["token"]
            room = await old.ask("room.create", game="robert", seats=1, limit=600, key="k" * 8)
            await old.ask("room.start", code=room["code"])
            attempt = await old.next("attempt")
            await deal_first(old, attempt, 2)
            async with opened(there) as new:
                await new.hello(token)
                opened_there = await new.ask("attempt.open", attempt=attempt["attempt"])
                assert opened_there["seq"] == 3
                await deal_first(new, opened_there, 2)
        async with opened(here) as back:
            await back.hello(token)
            await back.ask("attempt.open", attempt=attempt["attempt"])
            stale = await back.ask("move", attempt=attempt["attempt"], seq=4, move="w>f0")
            assert (stale["type"], stale["seq"], stale["result"]["moves"]) == ("attempt", 5, 4)


async def test_acknowledged_moves_can_be_replayed_from_the_seed(redis_url: str) -> None:
    async with node(redis_url) as port, opened(port) as client:
        (attempt,) = await race_of(client)
        answers = await deal_first(client, attempt, 20)
        shown_last = await client.ask("attempt.open", attempt=attempt["attempt"])
    database = database_on(connect(redis_url))
    deal = await DealStore(database, secret_keys()).find(DealId(attempt["deal"]))
    await database.close()
    assert deal is not None
    board = positions.after(
        deal_seed(ruleset("robert"), deal.seed), *(answer["move"] for answer in answers)
    )
    assert board.moves == shown_last["result"]["moves"] == 20
    assert len(board.piles[board.ruleset.stock]) * 2 == len(shown_last["piles"]["s"])
