"""Undo and hints over real sockets."""

from __future__ import annotations

import pytest

from tests.clients.client import Client, Message, opened
from tests.clients.play import KEY, race_of, resign, room_of
from tests.conftest import ALONE
from tests.play.test_handlers import after, deal_first

pytestmark = ALONE


def with_help(allowed: str) -> Message:
    """Return the last fields of a room's settings, with this help."""
    return {"variant": "standard", "help": allowed}


async def ask(client: Client, command: str, attempt: Message, seq: int) -> Message:
    return await client.ask(command, attempt=attempt["attempt"], seq=seq)


async def test_an_undo_is_answered_by_its_changes(port: int) -> None:
    async with opened(port) as client:
        (attempt,) = await race_of(client, **with_help("undo"))
        assert (attempt["help"], attempt["undoable"], attempt["hint"]) == ("undo", 0, None)
        (moved,) = await deal_first(client, attempt, 1)
        undone = await ask(client, "Undo", attempt, 3)
        assert undone["type"] == "missed"
        ((text, changes, redeals),) = undone["moves"]
        assert (text, redeals) == ("undo", 0)
        assert after(after(attempt["piles"], moved), {"changes": changes}) == attempt["piles"]
        marks = {"moves": 2, "undos": 1, "hints": 0, "peeked": True}
        assert undone["result"] == attempt["result"] | marks
        again = await ask(client, "Undo", attempt, 3)
        assert {**again, "re": 0, "now": 0} == {**undone, "re": 0, "now": 0}
        snapshot = await client.ask("attempt.open", attempt=attempt["attempt"])
        assert snapshot["piles"] == attempt["piles"]
        assert (snapshot["seq"], snapshot["result"]) == (3, undone["result"])


async def test_a_hint_is_in_the_answer_and_in_the_snapshot(port: int) -> None:
    async with opened(port) as client:
        (attempt,) = await race_of(client, **with_help("hints"))
        given = await ask(client, "Hint", attempt, 2)
        assert (given["type"], given["seq"], given["hints"]) == ("Hinted", 2, 1)
        assert given["move"] in {"s>w", "w>f0"}
        assert (await ask(client, "Hint", attempt, 3))["seq"] == 2
        snapshot = await client.ask("attempt.open", attempt=attempt["attempt"])
        assert (snapshot["hint"], snapshot["seq"]) == (given["move"], 2)
        move = {"attempt": attempt["attempt"], "seq": 3, "move": given["move"]}
        assert (await client.ask("move", **move))["type"] == "moved"
        snapshot = await client.ask("attempt.open", attempt=attempt["attempt"])
        assert (snapshot["hint"], snapshot["result"]["hints"]) == (None, 1)


@pytest.mark.parametrize("command", ["Undo", "Hint"])
async def test_help_is_refused_with_a_code(port: int, command: str) -> None:
    async with opened(port) as client:
        (attempt,) = await race_of(client)
        await deal_first(client, attempt, 1)
        assert (await ask(client, command, attempt, 3))["code"] == "no_help"
        assert (await ask(client, command, {"attempt": "x.y"}, 3))["code"] == "unknown_attempt"
        assert (await client.ask("daily.open", game="robert"))["help"] == "none"


async def test_a_room_shows_the_permitted_and_the_used_help(port: int) -> None:
    async with opened(port) as ada, opened(port) as bob:
        code = await room_of(ada, bob, **with_help("undo"))
        terms = {"code": code, "game": "robert", "variant": "standard", "limit": 600}
        room = await bob.ask("room.propose", **terms, help="hints")
        assert (room["help"], room["proposals"][0]["help"]) == ("undo", "hints")
        room = await ada.ask("room.terms", **terms, help="hints")
        assert room["help"] == "hints"
        await ada.ask("room.start", code=code)
        attempts = [await client.next("attempt") for client in (ada, bob)]
        await deal_first(ada, attempts[0], 1)
        undone = await ask(ada, "Undo", attempts[0], 3)
        await ask(ada, "Hint", attempts[0], 4)
        await resign(ada, {**attempts[0], "seq": 4})
        await resign(bob, attempts[1])
        room = await bob.next("room", lambda room: room["round"]["over"])
        assert room["round"]["help"] == "hints"
        marks = {"undos": 1, "hints": 1, "peeked": True, "end": "resigned"}
        assert room["round"]["runners"][0]["result"] == undone["result"] | marks
        runs = await bob.ask("GetRuns", deal=room["round"]["deal"])
        row = next(row for row in runs["runs"] if row["attempt"] == attempts[0]["attempt"])
        assert (row["undos"], row["hints"], row["peeked"]) == (1, 1, True)
        run = await bob.ask("GetRun", attempt=attempts[0]["attempt"])
        assert (run["help"], run["hints"], run["moves"][5:8]) == ("hints", 1, [0, 0, 0])


async def test_other_sessions_follow_an_undo_and_a_hint(port: int) -> None:
    async with opened(port) as phone, opened(port) as desk:
        token = (await phone.hello())["token"]
        terms = {"game": "robert", "seats": 2, "limit": 600, "key": KEY} | with_help("hints")
        await phone.ask("room.start", code=(await phone.ask("room.create", **terms))["code"])
        attempt = await phone.next("attempt")
        await desk.hello(token)
        await desk.ask("attempt.open", attempt=attempt["attempt"])
        await deal_first(phone, attempt, 1)
        undone = await ask(phone, "Undo", attempt, 3)
        news = await desk.next("missed", lambda news: news["seq"] == 3)
        assert (news["moves"], news["result"]) == (undone["moves"], undone["result"])
        given = await ask(phone, "Hint", attempt, 4)
        assert (await desk.next("attempt", lambda news: news["seq"] == 4))["hint"] == given["move"]
        # The requesting session gets the answer, but no notification.
        assert (phone.seen.count("missed"), phone.seen.count("attempt")) == (0, 1)
