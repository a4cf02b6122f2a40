"""Several sessions of one player over real sockets: one plays an attempt, the others follow."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator

import pytest

from server.play.attempts import Attempts
from tests.base.redis.servers import until
from tests.clients.client import Client, Message, opened
from tests.clients.play import race_of, resign, room_of
from tests.conftest import ALONE
from tests.play.test_resume_handlers import ask, followed, have, play, shown, start
from tests.processes import PATIENCE
from tests.sizes import SAMPLED, cases

pytestmark = [
    ALONE,
    pytest.mark.usefixtures("no_hurry"),
    pytest.mark.usefixtures("short_countdown"),
]


@pytest.fixture(params=["one node", "two nodes"])
async def devices(
    request: pytest.FixtureRequest, ports: tuple[int, int]
) -> AsyncIterator[tuple[Client, Client]]:
    here, there = ports if request.param == "two nodes" else (ports[0], ports[0])
    async with opened(here) as phone, opened(there) as desk:
        yield phone, desk


async def both_open(phone: Client, desk: Client) -> Message:
    """Start a daily on the phone, open it on the desk, and return the snapshot."""
    token, attempt = await start(phone)
    await follow(desk, token, attempt)
    return attempt


async def follow(client: Client, token: str, attempt: Message) -> None:
    """Say hello, open an attempt played by another session, and wait for the notice."""
    await client.hello(token)
    await ask(client, attempt, **have(attempt))
    await client.next("taken")


async def take(client: Client, attempt: Message) -> Message:
    return await client.ask("attempt.open", attempt=attempt["attempt"], take=True)


async def is_followed(client: Client, seq: int) -> None:
    """Wait until a client receives entry `seq` and the notice that another session plays."""
    async with asyncio.timeout(PATIENCE):
        seen = set[str]()
        # A node that is reading the attempt at that moment sends a snapshot instead.
        while not ("taken" in seen and seen & {"missed", "attempt"}):
            event = await client.news.get()
            if event["type"] == "taken" or event.get("seq") == seq:
                seen.add(event["type"])


async def test_only_sessions_showing_an_attempt_get_told(devices: tuple[Client, Client]) -> None:
    phone, desk = devices
    token, attempt = await start(phone)
    await desk.hello(token)
    await desk.ask("leaderboard.watch", game="robert")
    await play(phone, attempt, 3)
    for client in devices:
        assert (await client.ask("ping"))["type"] == "pong"
    assert "taken" not in phone.seen
    assert not {"taken", "missed", "attempt"} & set(desk.seen)


async def test_other_sessions_follow_live_and_can_take_over(devices: tuple[Client, Client]) -> None:
    phone, desk = devices
    attempt = await both_open(phone, desk)
    for since, answer in enumerate(await play(phone, attempt, 2), attempt["seq"]):
        news = await desk.next("missed")
        assert (news["since"], news["seq"]) == (since, since + 1)
        assert news["moves"] == [[answer["move"], answer["changes"], answer["redeals"]]]
        assert news["result"] == answer["result"]
    # The playing session gets answers, and not the same events again.
    assert not {"missed", "taken"} & set(phone.seen)
    taken = await take(desk, attempt)
    assert taken["seq"] == 3
    assert (await phone.next("taken"))["attempt"] == attempt["attempt"]
    await play(desk, taken, 1)
    assert (await phone.next("missed"))["seq"] == 4
    back = await take(phone, attempt)
    await desk.next("taken")
    await play(phone, back, 1)
    assert (await desk.next("missed"))["seq"] == 5
    assert (desk.seen.count("taken"), phone.seen.count("taken")) == (2, 1)


async def test_a_playing_session_is_named_as_in_its_welcome(ports: tuple[int, int]) -> None:
    """It lets a reconnected client recognize its own session."""
    async with opened(ports[0]) as lost, opened(ports[1]) as new:
        welcome = await lost.hello()
        attempt = await lost.ask("daily.open", game="robert")
        assert (await new.hello(welcome["token"]))["session"] != welcome["session"]
        await ask(new, attempt, **have(attempt))
        assert (await new.next("taken"))["session"] == welcome["session"]


async def test_an_ended_session_is_not_reported_as_playing(ports: tuple[int, int]) -> None:
    async with opened(ports[0]) as new:
        async with opened(ports[1]) as old:
            token, attempt = await start(old)
            await play(old, attempt, 1)
        await new.hello(token)
        assert followed(attempt, await ask(new, attempt, **have(attempt)))["seq"] == 2
        await play(new, attempt | {"seq": 2}, 1)
        assert "taken" not in new.seen


async def test_an_attempt_is_free_when_its_playing_session_ends(ports: tuple[int, int]) -> None:
    here, there = ports
    async with opened(there) as desk, opened(here) as third:
        async with opened(here) as phone:
            token, attempt = await start(phone)
            await follow(desk, token, attempt)
            await follow(third, token, attempt)
            # A session that only follows ends without a notice.
            async with opened(there) as fourth:
                await follow(fourth, token, attempt)
            await play(phone, attempt, 1)
            for client in (desk, third):
                assert (await client.next("missed"))["seq"] == 2
                assert "released" not in client.seen
        for client in (desk, third):
            assert (await client.next("released"))["attempt"] == attempt["attempt"]
        await play(third, attempt | {"seq": 2}, 1)
        await is_followed(desk, 3)
        assert [client.seen.count("released") for client in (desk, third)] == [1, 1]


@pytest.mark.parametrize("nodes", [1, 2])
async def test_a_session_that_took_over_is_followed(ports: tuple[int, int], nodes: int) -> None:
    here, there = ports if nodes == 2 else (ports[0], ports[0])
    async with opened(there) as desk, opened(here) as third:
        async with opened(here) as phone:
            token, attempt = await start(phone)
            await follow(desk, token, attempt)
            await follow(third, token, attempt)
            taken = await take(desk, attempt)
            await phone.next("taken")
        await play(desk, taken, 1)
        assert (await third.next("missed"))["seq"] == 2
        assert "released" not in {*desk.seen, *third.seen}


async def test_moving_without_taking_over_takes_over(devices: tuple[Client, Client]) -> None:
    """Clients of older releases do so, since they ignore the notice."""
    phone, desk = devices
    await play(desk, await both_open(phone, desk), 1)
    await is_followed(phone, 2)


async def test_the_end_is_sent_to_all_sessions_showing_it(devices: tuple[Client, Client]) -> None:
    phone, desk = devices
    answer = await resign(phone, await both_open(phone, desk))
    ended = await desk.next("ended")
    assert (ended["seq"], ended["result"]) == (2, answer["result"])


async def test_both_sessions_get_a_round_and_the_first_to_move_plays(
    ports: tuple[int, int],
) -> None:
    async with opened(ports[0]) as phone, opened(ports[1]) as desk, opened(ports[1]) as friend:
        token = (await phone.hello())["token"]
        code = await room_of(friend, seats=2)
        await desk.hello(token)
        for client in (phone, desk):
            await client.ask("room.join", code=code)
        await phone.ask("room.ready", code=code, ready=True)
        await friend.ask("room.start", code=code)
        attempts = [await client.next("attempt") for client in (phone, desk)]
        assert shown(attempts[0]) == shown(attempts[1])
        await play(desk, attempts[1], 1)
        await is_followed(phone, 2)
        assert not {"missed", "taken"} & set(friend.seen)


async def test_a_node_that_cannot_follow_an_entry_sends_a_snapshot(
    ports: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(ports[0]) as phone, opened(ports[1]) as desk:
        attempt = await both_open(phone, desk)
        # As if the node had other entries, or were still reading.
        monkeypatch.setattr(Attempts, "receive", lambda *_: None)
        await play(phone, attempt, 1)
        assert (await desk.next("attempt"))["seq"] == 2


@SAMPLED
@pytest.mark.parametrize("seed", range(cases(1, 5)))
async def test_takeovers_lose_and_repeat_no_move(devices: tuple[Client, Client], seed: int) -> None:
    rng = random.Random(seed)
    attempt = await both_open(*devices)
    seqs = [attempt["seq"]] * 2

    async def play_on(which: int) -> list[int]:
        """Play the next move known to this device, and return the accepted entries."""
        accepted = []
        for _ in range(12):
            if rng.random() < 0.3:
                seqs[which] = (await take(devices[which], attempt))["seq"]
            answer = await devices[which].ask(
                "move", attempt=attempt["attempt"], seq=seqs[which] + 1, move="s>w"
            )
            seqs[which] = answer["seq"]
            if answer["type"] == "moved":
                accepted.append(answer["seq"])
        return accepted

    mine, theirs = await asyncio.gather(play_on(0), play_on(1))
    ends = [await take(client, attempt) for client in devices]
    assert shown(ends[0]) == shown(ends[1])
    # The same move with the same number is a single move, whichever session sends it.
    assert sorted({*mine, *theirs}) == list(range(2, ends[0]["seq"] + 1))
    assert ends[0]["result"]["moves"] == ends[0]["seq"] - 1


async def test_one_of_two_concurrent_takeovers_plays(devices: tuple[Client, Client]) -> None:
    attempt = await both_open(*devices)
    await asyncio.gather(*(take(client, attempt) for client in devices))

    def follows(client: Client) -> bool:
        # A session notified before its own command was carried out has taken the attempt back.
        return "taken" in client.since_answer

    await until(lambda: follows(devices[0]) != follows(devices[1]))
    before = [client.seen.count("taken") for client in devices]
    await play(devices[1 if follows(devices[0]) else 0], attempt, 2)
    for client in devices:
        # Earlier messages have arrived by now.
        await client.ask("ping")
    assert [client.seen.count("taken") for client in devices] == before


async def test_other_players_receive_none_of_these_events(ports: tuple[int, int]) -> None:
    async with opened(ports[0]) as one, opened(ports[1]) as other:
        attempts = await race_of(one, other)
        await play(one, attempts[0], 2)
        assert (await other.ask("attempt.open", attempt=attempts[0]["attempt"], take=True))[
            "code"
        ] == "unknown_attempt"
        assert not {"missed", "taken"} & set(other.seen)
