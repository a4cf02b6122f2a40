"""The Python client against nodes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, WebSocketException

from engine.catalog import catalog
from engine.errors import UnknownRulesError
from samedeal_client import Attempt, Client, Disconnected, FileStorage, Refusal, connection, rules
from samedeal_client.messages import (
    Bye,
    CreateBot,
    DeleteBot,
    GetWatchKey,
    KeepRecoveryCode,
    ListDailies,
    NewRecoveryCode,
    PlayMove,
    SendEmote,
    SignOutEverywhere,
    WatchLeaderboard,
)
from samedeal_client.protocol import Event
from tests.conftest import ALONE, node
from tests.processes import PATIENCE
from tests.python_client.conftest import Relay, refusal_from

pytestmark = ALONE

GAME = "rouge-et-noir"


def url_of(port: int) -> str:
    return f"ws://127.0.0.1:{port}/socket"


async def race_of(*clients: Client, game: str = GAME, help_: str = "none") -> list[Attempt]:
    host, *guests = clients
    help_of_round = help_ if help_ in {"undo", "hints"} else "none"
    room = await host.create_room(game, seats=len(clients), help=help_of_round)  # type: ignore[arg-type]
    for guest in guests:
        await guest.join_room(room.code)
    await host.room_full()
    await host.start_round()
    return [await client.playing() for client in clients]


async def played_through(attempt: Attempt) -> None:
    """Play the first legal move until there is none, then resign."""
    while not attempt.over:
        moves = attempt.legal_moves()
        await (attempt.play(moves[0]) if moves and attempt.seq < 30 else attempt.resign())


async def test_two_clients_race_and_see_each_others_progress(port: int) -> None:
    async with Client(url_of(port), name="Ada") as ada, Client(url_of(port), name="Bob") as bob:
        attempts = await race_of(ada, bob)
        assert attempts[0].view == attempts[1].view
        await attempts[0].play(attempts[0].legal_moves()[0])
        moves = await bob.until(
            lambda: bob.room and bob.room.round and bob.room.round.runners[0].result.moves
        )
        assert moves == 1
        await asyncio.gather(*map(played_through, attempts))
        over = await ada.round_over()
        assert [runner.player.name for runner in over.runners] == ["Ada", "Bob"]
        assert all(runner.rank for runner in over.runners)
        results = [runner.result for runner in over.runners]
        assert results == [attempt.result for attempt in attempts]


async def test_a_move_with_a_lost_answer_is_stored_once(relay: Relay) -> None:
    async with Client(relay.url) as client:
        attempt = await client.open_daily("robert")
        await attempt.play("s>w")
        relay.mute = True
        move = asyncio.create_task(attempt.play("s>w"))
        await relay.lost.wait()
        relay.cut()
        async with asyncio.timeout(PATIENCE):
            await move
        assert (attempt.seq, attempt.result.moves) == (3, 2)
        await attempt.play("s>w")
        assert (await client.open_attempt(attempt.id)).seq == 4


async def test_a_lost_move_is_sent_again(relay: Relay) -> None:
    async with Client(relay.url) as client:
        attempt = await client.open_daily("robert")
        relay.deaf = True
        move = asyncio.create_task(attempt.play("s>w"))
        await relay.lost.wait()
        relay.cut()
        async with asyncio.timeout(PATIENCE):
            await move
        assert (attempt.seq, attempt.result.moves) == (2, 1)


async def test_a_stored_move_succeeds_though_another_session_played_on(relay: Relay) -> None:
    async with Client(relay.url) as client:
        token = (await client.ask(SignOutEverywhere())).token
        (attempt,) = await race_of(client, game="robert", help_="undo")
        for move in ("s>w", "s>w"):
            await attempt.play(move)
        relay.mute = True
        undo = asyncio.create_task(attempt.undo())
        await relay.lost.wait()
        async with Client(url_of(relay.target), token=token) as other:
            follower = await other.open_attempt(attempt.id)
            assert follower.result.undos == 1
            await follower.play("s>w")
            await follower.resign()
        relay.cut()
        async with asyncio.timeout(PATIENCE):
            await undo
        assert (attempt.seq, attempt.result) == (6, follower.result)


async def test_another_move_with_the_same_number_raises_overtaken(relay: Relay) -> None:
    async with Client(relay.url) as client:
        token = (await client.ask(SignOutEverywhere())).token
        attempt = await client.open_daily("deuces")
        while len(moves := attempt.legal_moves()) < 2:
            await attempt.play(moves[0])
        mine, others, *_ = moves
        before = attempt.seq
        relay.deaf = True
        move = asyncio.create_task(attempt.play(mine))
        await relay.lost.wait()
        async with Client(url_of(relay.target), token=token) as other:
            await (await other.open_attempt(attempt.id)).play(others)
        relay.cut()
        async with asyncio.timeout(PATIENCE):
            assert await refusal_from(move) == "overtaken"
        assert (attempt.seq, attempt.result.moves) == (before + 1, before)


@pytest.mark.parametrize("what", ["undo", "hint", "resign"])
@pytest.mark.parametrize("way", ["deaf", "mute"])
async def test_help_and_the_end_survive_a_reconnect(relay: Relay, what: str, way: str) -> None:
    async with Client(relay.url) as client:
        (attempt,) = await race_of(client, game="robert", help_="hints")
        before = attempt.view
        await attempt.play("s>w")
        setattr(relay, way, True)
        asked = asyncio.create_task(getattr(attempt, what)())
        await relay.lost.wait()
        relay.cut()
        async with asyncio.timeout(PATIENCE):
            await asked
        if what == "undo":
            assert attempt.view.piles == before.piles
            assert (attempt.result.undos, attempt.result.moves) == (1, 2)
        elif what == "hint":
            assert attempt.hint_given in attempt.legal_moves()
            assert attempt.result.hints == 1
            assert (await attempt.hint(), attempt.result.hints) == (attempt.hint_given, 1)
        else:
            assert attempt.result.end == "resigned"
            assert await attempt.resign() == attempt.result


async def test_a_race_continues_after_a_server_restart(redis_url: str, port: int) -> None:
    relay = Relay(port)
    async with relay.listening(), Client(relay.url) as ada, Client(relay.url) as bob:
        attempts = await race_of(ada, bob)
        await attempts[0].play(attempts[0].legal_moves()[0])
        relay.target = 0
        relay.cut()
        waiting = asyncio.create_task(attempts[0].play(attempts[0].legal_moves()[0]))
        await bob.until(lambda: not bob.connected)
        async with node(redis_url) as other, asyncio.timeout(PATIENCE):
            relay.target = other
            await waiting
            assert attempts[0].seq == 3
            await asyncio.gather(*map(played_through, attempts))
            assert len((await bob.round_over()).runners) == 2


async def test_other_versions_are_refused(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "VERSION", 99)
    with pytest.raises(Refusal, match="does not speak version 99") as raised:
        async with Client(url_of(port)):
            pass
    assert raised.value.code == "bad_version"


async def test_refusals_have_the_codes_of_the_server(port: int) -> None:
    async with Client(url_of(port)) as ada, Client(url_of(port)) as bob:
        assert await refusal_from(ada.join_room("22222222")) == "unknown_room"
        await bob.join_room((await ada.create_room("robert", seats=2)).code)
        assert await refusal_from(bob.set_lock(locked=True)) == "not_host"
        assert await refusal_from(ada.open_daily("chess")) == "unknown_game"
        attempt = await ada.open_daily("robert")
        for move, code in (("w>f0", "illegal_move"), ("a>b", "bad_move")):
            assert await refusal_from(attempt.play(move)) == code
        assert await refusal_from(ada.ask(PlayMove(32, 2, 0, 1))) == "illegal_move"


async def test_a_refused_token_is_reported_and_not_discarded(port: int, tmp_path: Path) -> None:
    path = tmp_path / "token"
    async with Client(url_of(port), storage=FileStorage(path)) as first:
        assert path.stat().st_mode & 0o777 == 0o600
        token = path.read_text()
    async with Client(url_of(port), storage=FileStorage(path)) as again:
        assert again.player == first.player
    path.write_text(f"x{token}")
    with pytest.raises(Refusal) as raised:
        async with Client(url_of(port), storage=FileStorage(path)):
            pass
    assert (raised.value.code, path.read_text()) == ("bad_token", f"x{token}")


async def test_a_signed_out_client_does_not_reconnect(port: int) -> None:
    async with Client(url_of(port)) as one:
        token = (await one.ask(SignOutEverywhere())).token
        async with Client(url_of(port), token=token) as other:
            told: list[Event] = []
            one.subscribe(told.append)
            await other.ask(SignOutEverywhere())
            assert await refusal_from(one.until(lambda: False)) == "signed_out"
            assert [event.code for event in told if isinstance(event, Bye)] == ["signed_out"]
            assert await refusal_from(one.list_dailies()) == "signed_out"


async def test_commands_wait_for_a_session_until_the_timeout() -> None:
    relay = Relay(0)
    async with relay.listening():
        with pytest.raises(Refusal) as raised:
            async with Client(relay.url, timeout=0.1):
                pass
    assert raised.value.code == "unreachable"
    assert relay.url in raised.value.text
    assert isinstance(raised.value.__cause__, (OSError, WebSocketException))


async def test_only_idempotent_commands_are_sent_again(relay: Relay) -> None:
    async with Client(relay.url) as client:
        room = await client.create_room("robert", seats=2)
        relay.deaf = True
        safe = asyncio.create_task(client.ask(ListDailies()))
        unsafe = asyncio.create_task(client.ask(SendEmote(room.code, 1)))
        await relay.lost.wait()
        await asyncio.sleep(0)
        relay.cut()
        async with asyncio.timeout(PATIENCE):
            assert (await safe).games
            with pytest.raises(Disconnected) as lost:
                await unsafe
    assert isinstance(lost.value.__cause__, ConnectionClosed)


async def test_closing_the_client_fails_pending_waits(port: int) -> None:
    async with Client(url_of(port)) as client:
        waiting = asyncio.create_task(client.until(lambda: False))
        await asyncio.sleep(0)
    assert await refusal_from(waiting) == "closed"


async def test_an_exception_of_a_listener_fails_pending_waits(port: int) -> None:
    def broken(_: Event) -> None:
        raise ZeroDivisionError

    async with Client(url_of(port)) as client:
        client.subscribe(broken)
        with pytest.raises(ZeroDivisionError):
            await client.list_dailies()
        with pytest.raises(ZeroDivisionError):
            await client.until(lambda: False)


async def test_a_session_follows_and_takes_over(port: int) -> None:
    async with Client(url_of(port)) as first:
        token = (await first.ask(SignOutEverywhere())).token
        attempt = await first.open_daily("robert")
        async with Client(url_of(port), token=token) as second:
            follower = await second.open_attempt(attempt.id)
            await second.until(lambda: follower.elsewhere)
            await attempt.play("s>w")
            await second.until(lambda: follower.seq == attempt.seq)
            assert follower.view == attempt.view
            assert await refusal_from(follower.play("s>w")) == "elsewhere"
            await follower.take_over()
            await follower.play("s>w")
            await first.until(lambda: attempt.elsewhere and attempt.seq == follower.seq)


async def test_subscriptions_are_restored_after_a_reconnect(relay: Relay) -> None:
    async with Client(relay.url) as ada, Client(relay.url) as bob:
        attempt, own = await race_of(ada, bob, game="robert")
        assert ada.room is not None
        await own.resign()
        await bob.watch(ada.room.code)
        await bob.watch_leaderboard(WatchLeaderboard("robert"))
        relay.cut()
        async with asyncio.timeout(PATIENCE):
            await bob.until(lambda: not bob.connected)
            await bob.until(lambda: bob.connected)
            await attempt.play("s>w")
            await bob.until(lambda: bob.watched and bob.watched.boards[0].seq == 2)
            assert bob.watched is not None
            assert bob.watched.boards[0].view == attempt.view
            assert bob.room is not None
            assert bob.leaderboard is not None
            await attempt.resign()
            assert (await bob.round_over()).runners[0].result == attempt.result


async def test_a_room_is_watched_by_its_key_without_a_seat(port: int) -> None:
    async with Client(url_of(port)) as host, Client(url_of(port)) as watcher:
        room = await host.create_room("robert", seats=1)
        await watcher.watch(room.code, (await host.ask(GetWatchKey(room.code))).key)
        assert watcher.watched is not None
        assert (watcher.watched.sight, watcher.watched.ruleset) == ("delayed", None)
        await host.start_round()
        await watcher.until(lambda: watcher.watched and watcher.watched.ruleset)
        assert watcher.room is not None
        assert [seat.player for seat in watcher.room.members] == [host.player]
        await watcher.stop_watching()
        assert await watcher.until(lambda: watcher.watched is None)


async def test_a_removed_member_is_notified(port: int) -> None:
    async with Client(url_of(port)) as host, Client(url_of(port)) as guest:
        await guest.join_room((await host.create_room("robert")).code)
        waiting = asyncio.create_task(guest.playing())
        await host.room_full()
        await host.remove_member(guest.player.id)
        assert await refusal_from(waiting) == "removed"
        assert (guest.room, host.room and len(host.room.members)) == (None, 1)


async def test_a_bot_signs_in_is_labelled_and_is_signed_out_when_deleted(port: int) -> None:
    async with Client(url_of(port), name="Ada") as ada:
        await ada.ask(KeepRecoveryCode((await ada.ask(NewRecoveryCode())).code))
        made = await ada.ask(CreateBot("Ada's bot"))
        room = await ada.create_room(GAME)
        async with Client(url_of(port), token=made.token) as bot:
            assert bot.player == made.player
            assert bot.player.bot
            assert await refusal_from(bot.open_daily(GAME)) == "not_for_bots"
            await bot.join_room(room.code)
            full = await ada.room_full()
            assert [seat.player.bot for seat in full.members] == [False, True]
            await ada.start_round()
            attempts = await ada.playing(), await bot.playing()
            await asyncio.gather(*map(played_through, attempts))
            assert all(runner.rank for runner in (await bot.round_over()).runners)
            await ada.ask(DeleteBot(bot.player.id))
            assert await refusal_from(bot.until(lambda: False)) == "signed_out"


async def test_unknown_rules_are_loaded(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(game: str, variant: str, digest: str) -> None:
        raise UnknownRulesError(f"{game} {variant} {digest}")

    monkeypatch.setattr(rules, "stored_ruleset", unknown)
    known = rules.Rules(url_of(port))
    for game in catalog().games.values():
        for variant in game.variants:
            ruleset = catalog().ruleset(game.id, variant)
            assert (await known.learn(game.id, variant, ruleset.digest)).rules == ruleset.rules
    assert await refusal_from(known.learn("robert", "standard", "0" * 16)) == "unknown_rules"
    async with Client(url_of(port)) as client:
        await (await client.open_daily("robert")).play("s>w")
        (raced,) = await race_of(client, game="deuces")
        assert raced.ruleset.game == "deuces"
