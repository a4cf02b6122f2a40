"""Operators' acts: carried out once, by any node, with all their consequences."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import count
from typing import Any

import msgspec
import pytest

from server.base.core import days as daily
from server.base.core.ids import AttemptId, PlayerId, RoomCode
from server.base.core.refusal import Refusal
from server.base.outbox import effects
from server.circles.core.ids import CircleId
from server.moderation.core.acts import BarPlayer, DeleteCircle, HideName, RenameCircle, RepairDay
from server.moderation.operators import By
from server.play.core.result import Row
from server.players.core import keys, names
from server.players.core.names import Profile, guest_name
from server.results.core.boards import ALL_GAMES, BoardId
from server.results.core.contests import PLAYED_MOVES
from server.results.repaired_days import CURRENT_FOR_MS
from server.rooms.core import commands
from server.rooms.core.room import Room
from tests.base.outbox.outboxes import all_effects
from tests.base.outbox.test_effects import DAY, GAME, finish_daily
from tests.base.redis.servers import running, until, work_of
from tests.builders import ADA, BOB, CYD, START, refusal_from, round_of
from tests.circles.test_circles import NOBODYS, founded
from tests.circles.test_circles import names as circles_of
from tests.nodes import BEGUN, Node, attempt_of
from tests.results.placing import place_player

BY = By("mod", "testing")
ABOUT: dict[str, Any] = {"id": "1", "at": START, "operator": "mod", "reason": "testing"}


async def rows(node: Node, board: BoardId) -> list[Row]:
    return (await node.services.leaderboards.rows(board, 1, 10))[1]


async def played(node: Node, *players: PlayerId) -> list[AttemptId]:
    """Let players bring cards home in their dailies, and return their attempts."""
    attempts = []
    for player in players:
        found = await node.dailies.open(player, "lady-betty")
        await node.play_out(found.attempt, player)
        attempts.append(found.attempt)
    await node.apply_effects()
    return attempts


async def test_an_act_is_recorded_once_however_often_it_is_applied(node: Node, other: Node) -> None:
    act = RepairDay(game=GAME, day=DAY, **ABOUT)
    await node.services.moderation.apply(act)
    await asyncio.gather(*(each.services.moderation.apply(act) for each in (node, other)))
    assert await node.services.operators.acts(10) == [act]
    assert await node.services.repaired_day_store.all() == [(GAME, DAY)]


async def test_a_dead_processs_act_is_carried_out_by_a_sweeper(node: Node, other: Node) -> None:
    await node.services.player_store.update(ADA)
    act = BarPlayer(player=ADA, until=0, **ABOUT)
    await node.services.outbox_store.put_effect(act.field, effects.encode(act))
    await other.sweep()
    assert (await node.services.moderation_store.restrictions(ADA)).barred == 0
    assert await all_effects(node.services.outbox_store) == []
    assert await node.services.operators.acts(10) == [act]


async def test_the_later_of_two_acts_prevails_in_any_order(node: Node) -> None:
    await node.services.player_store.update(ADA)
    for first, last in ((0, None), (None, 0)):
        number = START if first == 0 else START + 10
        acts = [
            BarPlayer(player=ADA, until=until_, **ABOUT | {"id": f"{at}", "at": at})
            for until_, at in zip((first, last), count(number), strict=False)
        ]
        for act in reversed(acts):
            await node.services.moderation.apply(act)
        assert (await node.services.moderation_store.restrictions(ADA)).barred == last
    assert len(await node.services.operators.acts(10)) == 4


async def test_a_voided_result_is_on_no_leaderboard_until_restored(node: Node, other: Node) -> None:
    mine, _ = await played(node, ADA, BOB)
    week = BoardId("week", ALL_GAMES, (DAY + 3) // 7, "guests")
    boards = [BoardId("day", "lady-betty", DAY, "guests"), week]
    before = [await rows(node, board) for board in boards]
    assert all({row.player for row in found} == {ADA, BOB} for found in before)
    seen: list[BoardId] = []
    other.services.leaderboards.score_changed.subscribe(lambda board, _: seen.append(board))
    for board in boards:
        other.services.leaderboards.subscribe(board)
    async with running(work_of(other.bus)):
        # A new subscription counts as a possibly lost message.
        await until(lambda: len(seen) >= len(boards))
        seen.clear()
        await node.services.operators.void(BY, mine, void=True)
        assert [[row.player for row in await rows(node, board)] for board in boards] == [[BOB]] * 2
        assert (await node.services.histories.load(ADA)).days_played() == set()
        await until(lambda: set(seen) >= set(boards))
        await node.services.operators.void(BY, mine, void=False)
    assert [await rows(node, board) for board in boards] == before
    assert (await node.services.histories.load(ADA)).days_played() == {DAY}
    assert [act.reason for act in await node.services.operators.acts(10)] == ["testing"] * 2


async def test_a_late_finish_does_not_undo_a_void(node: Node) -> None:
    found = await node.dailies.open(ADA, "lady-betty")
    await node.play_out(found.attempt, ADA)
    finish = node.outbox.queue.get_nowait()
    await node.outbox.apply(finish)
    await node.services.operators.void(BY, found.attempt, void=True)
    await node.outbox.apply(finish)
    assert await rows(node, BoardId("day", "lady-betty", DAY, "guests")) == []


async def test_unknown_subjects_cannot_be_voided_closed_or_barred(node: Node) -> None:
    operators = node.services.operators
    room, _ = await node.race_of(ADA, BOB)
    ongoing = (await node.dailies.open(ADA, GAME)).attempt
    for attempt in (AttemptId("x"), AttemptId(f"{ADA}.{BOB}"), attempt_of(room, ADA), ongoing):
        assert await refusal_from(operators.void(BY, attempt, void=True)) == "unknown_run"
    assert await refusal_from(operators.close_room(BY, RoomCode("ZZZZZZZZ"))) == "unknown_room"
    circle = await founded(node)
    assert await refusal_from(operators.rename_circle(BY, circle.id, "\u202e")) == "bad_name"
    await node.services.circles.delete(circle.id, ADA)
    for name in (circle.id, NOBODYS, CircleId("no id"), CircleId("")):
        for about_circle in (
            operators.circle(name),
            operators.delete_circle(BY, name),
            operators.rename_circle(BY, name, "\u202e"),
        ):
            with pytest.raises(Refusal, match="unknown_circle") as refused:
                await about_circle
            assert refused.value.text == "There is no such circle."
    for ask in (partial(operators.bar, BY, CYD, 3), partial(operators.player, CYD)):
        assert await refusal_from(ask()) == "unknown_player"
    assert await refusal_from(operators.repair_day(BY, DAY + 1)) == "unknown_day"
    assert await refusal_from(operators.repair_day(BY, DAY, "chess")) == "unknown_game"
    assert (await operators.acts(10), await all_effects(node.services.outbox_store)) == ([], [])


async def test_a_barred_player_cannot_start_a_session(node: Node) -> None:
    await node.services.player_store.update(ADA)
    sessions = node.services.sessions
    await sessions.register(ADA, "before")
    told: list[PlayerId] = []
    sessions.barred.subscribe(told.append)
    await node.services.operators.bar(BY, ADA, 2)
    assert told == [ADA]
    with pytest.raises(Refusal, match="barred") as refused:
        await sessions.register(ADA, "after")
    assert refused.value.wait == daily.DAY
    # A node that missed the message finds out when it checks its sessions.
    told.clear()
    await sessions.check([(ADA, "before", 0), (BOB, "other", 0)], lambda _: True)
    assert told == [ADA]
    node.clock.time = START + 2 * daily.DAY
    await sessions.register(ADA, "later")
    await node.services.operators.bar(BY, ADA, None)
    node.clock.time += 10**11
    assert await refusal_from(sessions.register(ADA, "ever after")) == "barred"
    await node.services.operators.unbar(BY, ADA)
    await sessions.register(ADA, "again")


async def test_a_hidden_name_is_replaced_everywhere_and_for_good(node: Node, other: Node) -> None:
    token = (await node.identify(None, "Rude"))[1]
    player = (await node.identify(token))[0].id
    guest = names.guest_name(player)
    changed: list[PlayerId] = []
    other.services.profiles.changed.subscribe(changed.append)

    async def shown(on: Node) -> str:
        return (await on.services.profiles.load([player]))[player].name

    caches = [each.services.profiles for each in (node, other)]
    for cache in caches:
        cache.cache(Profile(BOB, "Bob"))
    async with running(work_of(other.bus)), running(work_of(node.bus)):
        # A new subscription clears the cache.
        await until(lambda: all(cache.known([BOB]) is None for cache in caches))
        await node.services.operators.hide_name(BY, player, hidden=True)
        await until(lambda: changed == [player])
        assert [await shown(node), await shown(other)] == [guest, guest]
        assert await refusal_from(other.services.identity.rename(player, "Ruder")) == "name_hidden"
        profile, _ = await other.identify(token, "Rudest")
        assert profile.name == guest
        await node.services.operators.hide_name(BY, player, hidden=False)
        await until(lambda: len(changed) == 2)
        assert [await shown(node), await shown(other)] == ["Rude", "Rude"]
    assert (await node.services.identity.rename(player, "Kind")).name == "Kind"


async def test_a_name_that_is_hidden_twice_is_not_lost(node: Node) -> None:
    await node.services.player_store.update(ADA, "Ada")
    for number, hidden in enumerate((True, True, False, False)):
        act = HideName(
            player=ADA, hidden=hidden, **ABOUT | {"id": f"{number}", "at": START + number}
        )
        await node.services.moderation.apply(act)
        await node.services.moderation.apply(act)
    assert (await node.services.player_store.profiles([ADA]))[ADA].name == "Ada"


async def test_closing_a_room_removes_members_and_ends_its_round(node: Node, other: Node) -> None:
    room, code = await node.race_of(ADA, BOB)
    node.clock.time = BEGUN
    await node.play(attempt_of(room, ADA), ADA)
    await other.services.operators.close_room(BY, code)
    closed = await node.rooms.load(code)
    assert (closed.seats, closed.running) == ((), None)
    assert {result.end for result in round_of(closed).results.values()} == {"resigned"}
    refused: list[tuple[str, Callable[[], Awaitable[Room]]]] = [
        ("room_closed", lambda: node.rooms.decide(code, commands.take_seat, CYD)),
        ("unknown_room", lambda: node.rooms.start(code, ADA, [ADA])),
        ("unknown_room", lambda: node.rooms.decide(code, commands.set_lock, ADA, True)),
        ("room_closed", lambda: node.rooms.decide(code, commands.free_seat, ADA, START, 0)),
    ]
    for refusal, command in refused:
        assert await refusal_from(command()) == refusal
    await node.rooms.leave(code, ADA)
    version = (await node.rooms.load(code)).version
    await node.services.operators.close_room(BY, code)
    assert (await node.rooms.load(code)).version == version


async def test_an_operator_renames_and_deletes_a_circle(node: Node, other: Node) -> None:
    circle = await founded(node, BOB)
    operators, circles = other.services.operators, node.services.circles
    await operators.rename_circle(BY, circle.id, "  The  club ")
    assert (await circles.load(circle.id, BOB)).name == "The club"
    renamed, *_ = await operators.acts(10)
    assert isinstance(renamed, RenameCircle)
    assert renamed.name == "The club", "it was checked when it was asked for"
    await operators.delete_circle(BY, circle.id)
    assert await refusal_from(circles.load(circle.id, ADA)) == "unknown_circle"
    assert await circles_of(node, ADA) == await circles_of(node, BOB) == []
    # Applying an act again, or late, restores nothing and raises no error.
    for act in (
        renamed,
        RenameCircle(circle=circle.id, name="Again", **ABOUT | {"id": "2", "at": START + 10}),
        DeleteCircle(circle=circle.id, **ABOUT | {"id": "3", "at": START + 20}),
    ):
        await node.services.moderation.apply(act)
    assert await circles.find(circle.id) is None
    assert await all_effects(node.services.outbox_store) == []


async def test_the_later_rename_of_a_circle_prevails_but_not_over_a_deletion(node: Node) -> None:
    circle = await founded(node)
    first, last = (
        RenameCircle(circle=circle.id, name=name, **ABOUT | {"id": name, "at": START + number})
        for number, name in enumerate(("First", "Last"))
    )
    for act in (last, first):
        await node.services.moderation.apply(act)
        assert (await node.services.circles.load(circle.id, ADA)).name == "Last"
    # A deletion requested before the last rename is still carried out.
    deletion = DeleteCircle(circle=circle.id, **ABOUT | {"id": "deletion", "at": START})
    await node.services.moderation.apply(deletion)
    assert await node.services.circles.find(circle.id) is None


async def test_operators_see_a_circle_without_its_secrets(node: Node) -> None:
    for player, name in ((ADA, "Ada"), (BOB, "Bob")):
        await node.services.player_store.update(player, name)
    circle = await founded(node, BOB)
    circles = node.services.circles
    posting = await circles.set_webhook(circle.id, ADA, "https://example.com/hook", "json")
    assert posting.webhook is not None
    operators = node.services.operators
    (row,) = (await operators.player(BOB)).circles
    assert (row.circle, row.name) == (circle.id, "Friends")
    shown = await operators.circle(row.circle)
    assert (shown.owner, shown.founded) == (ADA, circle.founded)
    assert [(each.player, each.name[:5]) for each in shown.members] == [
        (ADA, "Ada #"),
        (BOB, "Bob #"),
    ]
    text = msgspec.json.encode(shown).decode()
    for secret in (circle.secret, "example.com", posting.webhook.url):
        assert secret not in text
    await circles.leave(circle.id, BOB)
    assert (await operators.player(BOB)).circles == []


async def test_a_repaired_day_is_known_within_a_minute(node: Node, other: Node) -> None:
    days = other.services.repaired_days
    assert await days.load(GAME) == frozenset()
    await node.services.operators.repair_day(BY, DAY)
    await node.services.operators.repair_day(BY, DAY - 1, GAME)
    assert await days.load(GAME) == frozenset()
    node.clock.time += CURRENT_FOR_MS
    assert await days.load(GAME) == {DAY, DAY - 1}
    assert await days.load() == await days.load("deuces") == {DAY}


async def test_rooms_are_found_by_scan_by_round_and_by_list(node: Node) -> None:
    operators = node.services.operators
    _, code = await node.race_of(ADA, BOB)
    waiting = (await node.room_of(CYD, game="robert")).opened.code
    assert {row.code for row in await operators.rooms("all", None, 10)} == {code, waiting}
    assert len(await operators.rooms("all", None, 1)) == 1
    assert [row.code for row in await operators.rooms("all", "robert", 10)] == [waiting]
    (row,) = await operators.rooms("running", None, 10)
    assert (row.code, row.seats, row.state) == (code, "2/8", "running")
    assert await operators.rooms("open", None, 10) == []
    shown = await operators.room(code)
    assert ([seat.result for seat in shown.seats], shown.rounds) == (["playing", "playing"], 1)


async def test_players_are_found_by_name_prefix(node: Node) -> None:
    for player, name in ((ADA, "Ada"), (BOB, "adam"), (CYD, "Cyd")):
        await node.services.player_store.update(player, name)
    await played(node, ADA)
    operators = node.services.operators
    assert {row.player for row in await operators.players("ADA", 10)} == {ADA, BOB}
    assert len(await operators.players("", 2)) == 2
    shown = await operators.player(ADA)
    assert (shown.kept, shown.barred, shown.hidden) == (None, None, None)
    assert [(row.game, row.played, row.streak) for row in shown.games] == [("lady-betty", 1, 1)]


async def test_a_guest_without_a_name_is_found_and_barred(node: Node) -> None:
    operators = node.services.operators
    assert await refusal_from(operators.player(BOB)) == "unknown_player"
    await played(node, ADA)
    assert [row.player for row in await operators.players(guest_name(ADA)[:3], 10)] == [ADA]
    await node.services.sessions.register(BOB, "session")
    for player in (ADA, BOB):
        await operators.bar(BY, player, None)
        assert (await operators.player(player)).barred == 0


async def test_copied_runs_of_a_daily_are_listed_once_and_the_list_is_bounded(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All players follow the hints without pauses, so their runs are alike."""
    monkeypatch.setattr("server.moderation.core.likeness.MIN_MOVES", 2)
    monkeypatch.setattr("server.moderation.core.suspicion.MIN_ODD", 0)
    monkeypatch.setattr("server.moderation.core.keys.MAX_SUSPICIOUS", 1)
    for player in (ADA, BOB, CYD):
        await node.play_out((await node.dailies.open(player, "lady-betty")).attempt, player)
        finish = node.outbox.queue.get_nowait()
        await node.outbox.apply(finish)
        await other.outbox.apply(finish)
        suspicious = await node.services.operators.suspicious(10, DAY)
        if player == ADA:
            assert not any("match" in str(each.reasons) for each in suspicious)
        else:
            (only,) = suspicious
            assert only.player == player
            assert f"match {ADA}'s run" in only.reasons[-1].text
    assert await node.services.operators.suspicious(10, DAY - 1) == []


async def test_a_win_is_compared_with_the_median_of_the_wins(node: Node) -> None:
    board = BoardId("day", GAME, DAY, "guests")
    services = node.services
    assert await services.suspicion_store.median_win(board) == (0, 0)
    for number, player in enumerate((ADA, BOB, CYD)):
        await place_player(services.leaderboard_store, board, player, number + 5)
    await place_player(services.leaderboard_store, board, PlayerId("9" * 16), 1 << 50)
    assert await services.suspicion_store.median_win(board) == (3, 6)


async def test_a_short_resigned_daily_is_not_suspicious(node: Node) -> None:
    await finish_daily(node)
    await node.apply_effects()
    assert await node.services.operators.suspicious(10) == []


async def test_a_voided_race_result_is_unrated_until_restored(node: Node) -> None:
    for player in (ADA, BOB):
        await node.services.player_store.update(player)
        await node.services.histories.keep(player, START)
    room, _ = await node.race_of(ADA, BOB)
    node.clock.time = BEGUN
    await node.play_out(attempt_of(room, ADA), ADA)
    for _ in range(PLAYED_MOVES):
        await node.play(attempt_of(room, BOB), BOB)
    await node.attempts.give_up(attempt_of(room, BOB))
    await node.apply_effects()
    await node.sweep()
    board = BoardId("rating", "lady-betty", 0, "ranked")
    before = await rows(node, board)
    assert before[0].player == ADA
    await node.services.operators.void(BY, attempt_of(room, ADA), void=True)
    assert await rows(node, board) == []
    await node.services.operators.void(BY, attempt_of(room, ADA), void=False)
    assert await rows(node, board) == before


async def test_a_round_ended_by_an_operator_does_not_count_as_a_race(node: Node) -> None:
    room, code = await node.race_of(ADA, BOB)
    node.clock.time = BEGUN
    await node.play_out(attempt_of(room, ADA), ADA)
    await node.services.operators.close_room(BY, code)
    await node.sweep()
    assert (await node.services.histories.load(ADA)).rounds == {}
    assert await all_effects(node.services.outbox_store) == []


async def test_an_operators_deletion_equals_the_players_own(node: Node) -> None:
    token = (await node.identify(None, "Ada")).token
    player = (await node.identify(token)).profile.id
    await played(node, player)
    await node.services.operators.delete(BY, player)
    assert await refusal_from(node.identify(token)) == "bad_token"
    assert await refusal_from(node.services.operators.player(player)) == "unknown_player"
    for act in (
        BarPlayer(player=player, until=0, **ABOUT),
        HideName(player=player, hidden=True, **ABOUT | {"id": "2"}),
    ):
        await node.services.moderation.apply(act)
    assert not (await node.services.moderation_store.restrictions(player)).known
    assert len(await rows(node, BoardId("day", "lady-betty", DAY, "guests"))) == 1


@pytest.mark.parametrize("played", [False, True])
async def test_restrictions_on_a_kept_player_outlive_the_tokens(node: Node, played: bool) -> None:
    record = keys.player(ADA)
    await node.services.player_store.update(ADA, "Ada")
    if played:
        await node.services.history_store.change(ADA, 0, {"t:robert": "[]"})
    await node.services.account_store.offer_code(ADA, "digest", START, 0, confirmed=False)
    await node.services.account_store.keep_code(ADA, "digest", START)
    await node.services.histories.keep(ADA, START)
    await node.services.operators.hide_name(BY, ADA, hidden=True)
    lives = [await node.redis.ttl(record)]
    await node.services.operators.bar(BY, ADA, 1)
    lives.append(await node.redis.ttl(record))
    await node.services.account_store.keep_code(ADA, "other digest", START + 1)
    lives.append(await node.redis.ttl(record))
    await node.services.player_store.update(ADA)
    lives.append(await node.redis.ttl(record))
    assert lives == [-1] * 4 if played else min(lives) > keys.PLAYER_LIFE_S - 60
