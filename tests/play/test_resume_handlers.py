"""Resuming an attempt over real sockets: by missed moves or a snapshot."""

from __future__ import annotations

import secrets
from types import SimpleNamespace
from typing import Any

import msgpack
import pytest

from engine.catalog import daily_games, ruleset
from server.base.core.ids import AttemptId
from server.base.redis.connection import connect
from server.play.core import keys
from server.play.core.digest import fnv1a
from server.play.resume import MAX_MISSED
from server.rooms.core import commands
from tests.clients.client import Client, Message, opened
from tests.clients.play import KEY, race_of, resign
from tests.conftest import ALONE, node
from tests.engine.dead_ends import dead_end_line
from tests.sizes import SAMPLED, cases

pytestmark = [ALONE, pytest.mark.usefixtures("no_hurry", "short_countdown")]

FIRST_MOVES = {"rouge-et-noir": "s>t", "spider": "s>t", "lady-betty": "s>t0"}
"""By game, a move that can be repeated at the start; `s>w` in all others with a stock."""

WITH_STOCK = [game for game in daily_games() if ruleset(game).in_stock]


def have(snapshot: Message) -> dict[str, int]:
    """Return the `have` of a client with a snapshot, as described in PROTOCOL.md."""
    text = ",".join([*snapshot["piles"].values(), str(snapshot["redeals"])])
    return {"seq": snapshot["seq"], "digest": fnv1a(text)}


def followed(snapshot: Message, missed: Message) -> dict[str, Any]:
    """Return the fields that a client shows after applying missed moves to a snapshot."""
    assert missed["since"] == snapshot["seq"]
    piles, redeals = dict(snapshot["piles"]), snapshot["redeals"]
    for _, changes, redeals in missed["moves"]:  # noqa: B007 - the last one counts
        for pile, take, put in changes:
            piles[pile] = piles[pile][: len(piles[pile]) - 2 * take] + put
    return {"seq": missed["seq"], "piles": piles, "redeals": redeals, "result": missed["result"]}


def shown(snapshot: Message) -> dict[str, Any]:
    """Return the fields that a client with a snapshot shows."""
    return {key: snapshot[key] for key in ("seq", "piles", "redeals", "result")}


def size(event: Message) -> int:
    return len(msgpack.packb(event))


async def play(client: Client, attempt: Message, count: int, move: str = "s>w") -> list[Message]:
    seqs = range(attempt["seq"] + 1, attempt["seq"] + 1 + count)
    answers = [
        await client.ask("move", attempt=attempt["attempt"], seq=seq, move=move) for seq in seqs
    ]
    assert all(answer["type"] == "moved" for answer in answers)
    return answers


async def ask(client: Client, attempt: Message, **have: int) -> Message:
    return await client.ask("attempt.open", attempt=attempt["attempt"], have=have)


async def start(client: Client, game: str = "robert") -> tuple[str, Message]:
    """Start a game's daily as a new player; return the token and the snapshot."""
    return (await client.hello())["token"], await client.ask("daily.open", game=game)


async def alone(client: Client) -> tuple[str, str]:
    """Start a round of a new player alone; return the token and the room's code."""
    token = (await client.hello())["token"]
    room = await client.ask("room.create", game="robert", seats=1, limit=60, key=KEY)
    await client.ask("room.start", code=room["code"])
    return token, room["code"]


@SAMPLED
@pytest.mark.parametrize(
    "game", [game for game in daily_games() if ruleset(game).in_stock][:: cases(3, 1)]
)
@pytest.mark.parametrize("count", [0, 1, 3])
async def test_missed_moves_reach_all_nodes(ports: tuple[int, int], game: str, count: int) -> None:
    async with opened(ports[0]) as old, opened(ports[1]) as new:
        token, attempt = await start(old, game)
        answers = await play(old, attempt, count, FIRST_MOVES.get(game, "s>w"))
        await new.hello(token)
        missed = await ask(new, attempt, **have(attempt))
        assert missed["type"] == "missed"
        assert [move for move, _, _ in missed["moves"]] == [a["move"] for a in answers]
        assert [changes for _, changes, _ in missed["moves"]] == [a["changes"] for a in answers]
        snapshot = await new.ask("attempt.open", attempt=attempt["attempt"])
        assert (snapshot["type"], followed(attempt, missed)) == ("attempt", shown(snapshot))
        assert size(missed) < size(snapshot)


@pytest.mark.parametrize("missing", [0, 1, 5])
async def test_a_wrong_digest_gets_the_snapshot_and_nothing_else(port: int, missing: int) -> None:
    async with opened(port) as client:
        _, attempt = await start(client)
        await play(client, attempt, missing)
        right = have(attempt)
        for wrong in (right["digest"] ^ 1, 0, 2**32 - 1):
            answer = await ask(client, attempt, seq=right["seq"], digest=wrong)
            plain = await client.ask("attempt.open", attempt=attempt["attempt"])
            changing = {"re": 0, "now": 0}
            assert answer | changing == plain | changing
        assert (await ask(client, attempt, **right))["type"] == "missed"


@pytest.mark.parametrize("seq", [2, 3, 2**31])
async def test_an_entry_beyond_the_journal_gets_the_snapshot(port: int, seq: int) -> None:
    async with opened(port) as client:
        _, attempt = await start(client)
        answer = await ask(client, attempt, seq=seq, digest=have(attempt)["digest"])
        assert answer["type"] == "attempt"


async def test_a_client_ahead_of_the_journal_gets_the_snapshot(redis_url: str) -> None:
    """Redis has lost one of the client's moves, as in a failover before replication."""
    async with node(redis_url) as port, opened(port) as client:
        token, attempt = await start(client)
        await play(client, attempt, 2)
        seen = await client.ask("attempt.open", attempt=attempt["attempt"])
    redis = connect(redis_url)
    await redis.xdel(keys.attempt(AttemptId(attempt["attempt"])), f"0-{seen['seq']}")
    await redis.aclose()
    async with node(redis_url) as port, opened(port) as client:
        await client.hello(token)
        answer = await ask(client, attempt, **have(seen))
        assert (answer["type"], answer["seq"]) == ("attempt", 2)


async def test_a_client_too_far_behind_gets_the_snapshot(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four moves are still shorter than the snapshot, so only the limit causes it."""
    monkeypatch.setattr("server.play.resume.MAX_MISSED", 3)
    async with opened(port) as client:
        _, attempt = await start(client)
        (*_, last) = await play(client, attempt, 3)
        assert (await ask(client, attempt, **have(attempt)))["type"] == "missed"
        await play(client, attempt | {"seq": last["seq"]}, 1)
        assert (await ask(client, attempt, **have(attempt)))["type"] == "attempt"


async def test_the_shorter_of_missed_moves_and_the_snapshot_is_sent(port: int) -> None:
    async with opened(port) as client:
        _, attempt = await start(client)
        kinds = []
        for seq in range(2, 42):
            await client.ask("move", attempt=attempt["attempt"], seq=seq, move="s>w")
            plain = await client.ask("attempt.open", attempt=attempt["attempt"])
            answer = await ask(client, attempt, **have(attempt))
            kinds.append(answer["type"])
            assert size(answer) <= size(plain)
        turn = kinds.index("attempt")
        assert kinds == ["missed"] * turn + ["attempt"] * (40 - turn)
        assert 5 < turn < 40 < MAX_MISSED


async def test_a_missed_end_is_reported(ports: tuple[int, int]) -> None:
    async with opened(ports[0]) as old, opened(ports[1]) as new:
        token, attempt = await start(old)
        (moved,) = await play(old, attempt, 1)
        ended = await resign(old, attempt | {"seq": 2})
        await new.hello(token)
        missed = await ask(new, attempt, **have(attempt))
        assert (missed["type"], missed["seq"], len(missed["moves"])) == ("missed", 3, 1)
        assert missed["result"] == ended["result"] == moved["result"] | {"end": "resigned"}


async def test_a_passed_deadline_is_known(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client was away until after the deadline, and the attempt was not read."""
    async with node(redis_url) as port, opened(port) as client:
        token, _ = await alone(client)
        attempt = await client.next("attempt")
    monkeypatch.setattr("server.base.journals.store.CLOCK_TOLERANCE_MS", 10**15)
    monkeypatch.setattr("server.base.redis.clock.RedisClock.now", lambda _: attempt["deadline"] + 1)
    async with node(redis_url) as port, opened(port) as client:
        await client.hello(token)
        missed = await ask(client, attempt, **have(attempt))
        assert (missed["type"], missed["moves"]) == ("missed", [])
        assert (missed["seq"], missed["result"]["end"]) == (2, "time")


async def test_another_players_attempt_is_refused_whatever_the_digest(port: int) -> None:
    async with opened(port) as one, opened(port) as other:
        mine, _ = await race_of(one, other)
        for digest in (have(mine)["digest"], 0):
            assert (await ask(other, mine, seq=1, digest=digest))["code"] == "unknown_attempt"


async def test_face_down_cards_have_no_digest(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "COUNTDOWN_MS", 60_000)
    async with opened(port) as client:
        await client.hello()
        room = await client.ask("room.create", game="robert", seats=1, limit=60, key=KEY)
        attempt = (await client.ask("room.start", code=room["code"]))["round"]["runners"][0]
        assert (await ask(client, attempt, seq=1, digest=0))["code"] == "not_started"


@pytest.mark.parametrize(
    "wrong",
    [
        {"seq": 1},
        {"digest": 1},
        {"seq": 0, "digest": 1},
        {"seq": 1, "digest": -1},
        {"seq": 1, "digest": 2**32},
        {"seq": 1, "digest": "1"},
        {"seq": 1, "digest": 1, "more": 1},
        [1],
        1,
    ],
)
async def test_an_invalid_have_is_a_bad_message(port: int, wrong: object) -> None:
    async with opened(port) as client:
        _, attempt = await start(client)
        answer = await client.ask("attempt.open", attempt=attempt["attempt"], have=wrong)
        assert answer["code"] == "bad_message"


async def test_a_player_who_reconnects_elsewhere_stays_present(ports: tuple[int, int]) -> None:
    here, there = ports
    async with opened(here) as friend, opened(here) as old, opened(there) as new:
        token = (await old.hello())["token"]
        await friend.hello()
        room = await friend.ask("room.create", game="robert", seats=2, limit=600, key=KEY)
        await old.ask("room.join", code=room["code"])
        await new.hello(token)
        joined = await new.ask("room.join", code=room["code"])
        await old.socket.close()
        for seen in (joined, await friend.ask("room.ready", code=room["code"], ready=True)):
            assert [member["here"] for member in seen["members"]] == [True, True]


@pytest.mark.parametrize("is_open", [False, True])
async def test_joining_a_room_sends_the_attempt_before_the_answer_unless_it_is_open(
    ports: tuple[int, int], *, is_open: bool
) -> None:
    async with opened(ports[0]) as old, opened(ports[1]) as new:
        token, code = await alone(old)
        attempt = await old.next("attempt")
        await play(old, attempt, 2)
        await new.hello(token)
        if is_open:
            assert (await ask(new, attempt, **have(attempt)))["type"] == "missed"
        for _ in range(2):
            assert (await new.ask("room.join", code=code))["round"]["over"] is False
            assert new.seen.count("attempt") == (not is_open)
        assert is_open or (await new.next("attempt"))["seq"] == 3
        await resign(new, attempt | {"seq": 3})
        await new.next("room", lambda event: event["round"]["over"])
        assert new.seen.count("attempt") == (not is_open)


async def test_a_player_who_reconnects_during_the_countdown_gets_the_cards_once(
    ports: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "COUNTDOWN_MS", 1_000)
    async with opened(ports[0]) as old, opened(ports[1]) as new:
        token, code = await alone(old)
        await new.hello(token)
        await new.ask("room.join", code=code)
        await resign(new, await new.next("attempt"))
        await new.next("room", lambda event: event["round"]["over"])
        assert new.seen.count("attempt") == 1


async def test_a_resumed_session_is_notified_of_a_dead_end_found_later(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session that resumed by missed moves is subscribed to the attempt like any other."""
    seed, line = dead_end_line("robert")
    drawn = SimpleNamespace(choice=secrets.choice, token_bytes=lambda _: seed)
    monkeypatch.setattr("server.deals.store.secrets", drawn)
    with monkeypatch.context() as patch:
        patch.setattr("server.play.searches.Searches._enqueue", lambda *_: None)
        async with node(redis_url) as port, opened(port) as client:
            token, attempt = await start(client)
            for seq, move in enumerate(line, start=2):
                await client.ask("move", attempt=attempt["attempt"], seq=seq, move=move)
            seen = await client.ask("attempt.open", attempt=attempt["attempt"])
    async with node(redis_url) as port, opened(port) as client:
        await client.hello(token)
        missed = await ask(client, attempt, **have(seen))
        assert (missed["type"], missed["moves"], missed["result"]["end"]) == ("missed", [], None)
        ended = await client.next("ended")
        assert (ended["seq"], ended["result"]["end"]) == (seen["seq"] + 1, "stuck")


async def test_changes_of_a_room_send_no_attempt_to_a_runner_who_plays_a_daily(port: int) -> None:
    """The runner was sent the cards of the race before opening the daily."""
    async with opened(port) as one, opened(port) as other:
        await race_of(one, other)
        await one.ask("daily.open", game="deuces")
        for name in ("Bo", "Bob", "Bobby"):
            await other.ask("rename", name=name)
            await one.next("room", lambda event: name in str(event["members"]))  # noqa: B023
        await one.ask("daily.list")
        assert one.seen.count("attempt") == 1
