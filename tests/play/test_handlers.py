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
from tests.clients.play import race_of, resign
from tests.conftest import ALONE, database_on, node, secret_keys
from tests.engine import positions

pytestmark = [ALONE, pytest.mark.usefixtures("short_countdown")]


def shown(attempt: Message) -> dict[str, Any]:
    """Return the fields of a snapshot that describe the board."""
    return {key: attempt[key] for key in ("seq", "piles", "redeals", "result")}


def after(piles: dict[str, str], answer: Message) -> dict[str, str]:
    """Apply a move's changes to the piles, as PROTOCOL.md specifies."""
    changed = dict(piles)
    for pile, take, put in answer["changes"]:
        changed[pile] = changed[pile][: len(changed[pile]) - 2 * take] + put
    return changed


async def deal_first(client: Client, attempt: Message, count: int = 3) -> list[Message]:
    """Deal cards from the stock of a game with a waste, and return the answers."""
    return [
        await client.ask("move", attempt=attempt["attempt"], seq=attempt["seq"] + n, move="s>w")
        for n in range(1, count + 1)
    ]


def first_move(attempt: Message) -> str:
    """Return the first legal move of a snapshot, sorted by text."""
    rules = ruleset(attempt["game"])
    texts = [attempt["piles"][name] for name in rules.pile_names]
    names = [[text[at : at + 2] for at in range(0, len(text), 2)] for text in texts]
    piles = [[UNSEEN if name == "??" else parse_card(name) for name in pile] for pile in names]
    return min(move_text(rules, move) for move in legal_moves(read_view(rules, piles)))


@pytest.mark.parametrize("game", list(games()))
async def test_a_move_is_answered_by_its_changes(port: int, game: str) -> None:
    """Play the first legal move of each game; its answer leads to the next snapshot."""
    async with opened(port) as client:
        (attempt,) = await race_of(client, game=game)
        move = first_move(attempt)
        answer = await client.ask("move", attempt=attempt["attempt"], seq=2, move=move)
        assert answer["type"] == "moved"
        assert answer["result"]["moves"] == 1
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


async def test_a_resent_resignation_gets_its_first_answer_again(port: int) -> None:
    async with opened(port) as client:
        (attempt,) = await race_of(client)
        first = await resign(client, attempt)
        assert {**await resign(client, attempt), "re": 0} == {**first, "re": 0}


@pytest.mark.parametrize("seq", [1, 2, 3, 6, 1000])
async def test_an_unexpected_number_is_answered_by_a_snapshot(port: int, seq: int) -> None:
    async with opened(port) as client:
        (attempt,) = await race_of(client)
        await deal_first(client, attempt)
        answer = await client.ask("move", attempt=attempt["attempt"], seq=seq, move="w>f0")
        snapshot = await client.ask("attempt.open", attempt=attempt["attempt"])
        assert answer["type"] == "attempt"
        assert shown(answer) == shown(snapshot)
        assert answer["seq"] == 4


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
async def test_an_illegal_or_malformed_move_is_refused_and_its_number_stays_free(
    port: int, move: str, code: str
) -> None:
    async with opened(port) as client:
        (attempt,) = await race_of(client)
        refused = await client.ask("move", attempt=attempt["attempt"], seq=2, move=move)
        assert refused["code"] == code
        (played,) = await deal_first(client, attempt, 1)
        assert played["seq"] == 2


async def test_a_move_after_the_end_is_refused(port: int) -> None:
    async with opened(port) as client:
        (attempt,) = await race_of(client)
        await resign(client, attempt)
        late = await client.ask("move", attempt=attempt["attempt"], seq=3, move="s>w")
        assert late["code"] == "attempt_ended"


async def test_another_players_attempt_is_unknown(port: int) -> None:
    async with opened(port) as one, opened(port) as other:
        mine, _ = await race_of(one, other)
        for command, fields in (
            ("attempt.open", {}),
            ("move", {"seq": 2, "move": "s>w"}),
            ("resign", {"seq": 2}),
        ):
            answer = await other.ask(command, attempt=mine["attempt"], **fields)
            assert answer["code"] == "unknown_attempt"
        assert (await one.ask("attempt.open", attempt=mine["attempt"]))["seq"] == 1


@pytest.mark.parametrize("attempt", ["", "x", "a.b", "0123456789abcdef.0123456789abcdef"])
async def test_a_missing_attempt_is_unknown(port: int, attempt: str) -> None:
    async with opened(port) as client:
        await client.hello()
        answer = await client.ask("move", attempt=attempt, seq=2, move="s>w")
        assert answer["code"] == "unknown_attempt"


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
        resumed = await client.next("attempt")
        assert resumed["seq"] in {4, 5}
        resent = await client.ask("move", attempt=attempt["attempt"], seq=5, move="s>w")
        assert resent["result"]["moves"] == 4
        assert answers[-1]["result"]["moves"] == 3


async def test_two_nodes_never_fork_an_attempt(redis_url: str) -> None:
    """The player's older session keeps sending while a newer one is on another node."""
    async with node(redis_url) as here, node(redis_url) as there:
        async with opened(here) as old:
            token = (await old.hello())["token"]
            await old.ask("room.create", game="robert", seats=1, limit=600, key="k" * 8)
            code = (await old.next("room"))["code"]
            await old.ask("room.start", code=code)
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
            assert stale["type"] == "attempt"
            assert stale["seq"] == 5
            assert stale["result"]["moves"] == 4


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
