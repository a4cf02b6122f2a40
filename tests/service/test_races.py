"""Races that are over: histories, ratings and leaderboards, whoever applies them and how often."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from server.core.boards import BoardId, Scope
from server.core.history import RATING, History, RoundResult
from server.core.ids import PACE_BOT, AttemptId, DealId, PlayerId, attempt_id
from server.core.race import Room
from server.core.races import Race
from server.core.refusal import UnavailableError
from server.core.stored import Help, StoredResult
from server.service import outbox_entries
from server.service.outbox_entries import Deleted, RoundOver
from server.store.histories import Histories
from server.store.races import Races
from tests.core.builders import ADA, BOB, CODE, CYD, DEAL, START, reached
from tests.service.nodes import BEGUN, Node, SetClock, attempt_of
from tests.store.outboxes import all_effects

GAME = "robert"


def race(*players: PlayerId, allowed: Help = "none", home: int = 0) -> Race:
    """Return a race in which each player brought five cards more home than the next one."""
    count = len(players)
    results = {
        player: StoredResult.of(reached(5 * (count - nth), 60_000, 40))
        for nth, player in enumerate(players)
    }
    return Race(DEAL, GAME, START, home, allowed, results)


async def histories(node: Node, *players: PlayerId) -> list[History]:
    return [await node.services.histories.find(player) for player in players]


async def result(node: Node, player: PlayerId) -> RoundResult:
    (found,) = await histories(node, player)
    return found.rounds[GAME, DEAL]


async def scores(node: Node, scope: Scope, game: str = GAME) -> dict[PlayerId, int]:
    board = BoardId(scope, game, 0, "ranked")
    rows = (await node.services.leaderboards.top(board)).rows
    return {row.player: row.score for row in rows}


async def keep(node: Node, *players: PlayerId) -> None:
    for player in players:
        await node.services.histories.keep(player, START)


async def give_up(node: Node, room: Room, *players: PlayerId) -> None:
    for player in players:
        await node.attempts.give_up(attempt_of(room, player))


async def test_a_round_that_is_over_is_in_histories_and_on_leaderboards(
    node: Node, clock: SetClock
) -> None:
    await keep(node, ADA, BOB)
    room, _ = await node.race_of(ADA, BOB)
    clock.time = BEGUN + 1_000
    assert room.round is not None
    while (await node.play(attempt_of(room, ADA), ADA)).after.result.home <= room.round.home:
        clock.time += 1_000
    await give_up(node, room, ADA, BOB)
    await node.apply_effects()

    ada, bob = await histories(node, ADA, BOB)
    (mine,), (theirs,) = ada.rounds.values(), bob.rounds.values()
    assert (mine.place, mine.players, mine.won, mine.end) == (1, 2, True, "resigned")
    assert (theirs.place, theirs.won) == (2, False)
    assert mine.shift > 0 > theirs.shift
    assert await scores(node, "races", "lady-betty") == {ADA: -1}
    assert await scores(node, "races", "all") == {ADA: -1}
    rated = ada.rating("lady-betty")
    assert rated.rated == 1
    assert (await scores(node, "rating", "lady-betty"))[ADA] == -rated.value < 0
    assert await node.services.races.met(ADA) == [BOB]
    assert await node.services.races.met(BOB) == [ADA]
    assert await all_effects(node.store.outboxes) == []


async def test_a_dead_nodes_race_is_entered_by_a_sweeper(
    node: Node, other: Node, clock: SetClock
) -> None:
    room, code = await node.race_of(ADA, BOB)
    clock.time = BEGUN
    await node.play(attempt_of(room, ADA), ADA)
    await give_up(node, room, ADA, BOB)
    # The node dies before it applies the last effect, which follows from these two.
    for _ in range(2):
        await node.effects.apply(node.attempts.finishes.get_nowait())
    ((field, _),) = await all_effects(node.store.outboxes)
    assert field == f"{code}/1"

    await other.sweep()
    ada, bob = await histories(other, ADA, BOB)
    assert len(ada.rounds) == len(bob.rounds) == 1
    assert await all_effects(node.store.outboxes) == []


async def test_a_race_against_the_pace_bot_is_none(node: Node, clock: SetClock) -> None:
    code = node.rooms.random_code()
    await node.rooms.match(code, ADA, GAME)
    clock.time += 60_000
    await node.rooms.seat_bot(code)
    room = await node.rooms.start(code, None, [ADA, PACE_BOT])
    clock.time += 60_000
    await give_up(node, room, ADA, PACE_BOT)
    await node.apply_effects()
    room = await node.rooms.find(code)
    assert room.round is not None
    assert room.round.over
    assert await histories(node, ADA, PACE_BOT) == [History(), History()]
    assert await node.services.races.met(ADA) == []


async def test_applying_a_race_again_or_at_once_changes_nothing_more(
    node: Node, other: Node
) -> None:
    nodes = [node, other] * 3
    over = race(ADA, BOB, CYD)
    await asyncio.gather(*(each.services.races.apply(over) for each in nodes))
    found = await histories(node, ADA, BOB, CYD)
    shifts = [each.rounds[GAME, DEAL].shift for each in found]
    assert sum(shifts) == pytest.approx(0, abs=1e-9)
    assert shifts[0] > shifts[1] > shifts[2]
    await node.services.races.apply(over)
    assert await histories(node, ADA, BOB, CYD) == found


async def test_what_was_decided_first_stands_after_a_failure(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = Histories.change

    async def failing(self: Histories, player: PlayerId, *given: Any) -> bool:
        if player == BOB:
            raise UnavailableError("the store does not answer")
        return await change(self, player, *given)

    with monkeypatch.context() as patch:
        patch.setattr(Histories, "change", failing)
        with pytest.raises(UnavailableError):
            await node.services.races.apply(race(ADA, BOB))
    mine = await result(node, ADA)

    # Bob races elsewhere before his result is entered.
    await other.services.races.apply(replace(race(CYD, BOB), deal=DealId("dea2000000000000")))
    await other.services.races.apply(race(ADA, BOB))
    assert await result(node, ADA) == mine
    assert (await result(node, BOB)).shift == pytest.approx(-mine.shift)


async def test_races_with_help_and_without_cards_are_not_rated(node: Node) -> None:
    await keep(node, ADA, BOB)
    await node.services.races.apply(race(ADA, BOB, allowed="hints"))
    assert (await result(node, ADA)).won
    assert not (await result(node, ADA)).is_rated
    assert await scores(node, "races") == {ADA: -1}
    assert await scores(node, "best") == await scores(node, "rating") == {}


async def test_runs_without_a_card_share_the_last_rank(node: Node) -> None:
    await node.services.races.apply(race(ADA, BOB, CYD, home=10))
    found = [await result(node, player) for player in (ADA, BOB, CYD)]
    assert [(each.place, each.won) for each in found] == [(1, True), (3, False), (3, False)]
    assert found[1].shift == found[2].shift < 0


async def test_a_race_in_which_nobody_brought_a_card_home_is_not_rated(node: Node) -> None:
    await node.services.races.apply(race(ADA, BOB, home=50))
    found = await result(node, ADA)
    assert (found.place, found.won, found.is_rated) == (2, False, False)


async def test_without_a_void_result_the_others_are_ranked_anew(node: Node) -> None:
    await keep(node, ADA, BOB, CYD)
    await node.services.races.apply(race(ADA, BOB, CYD))
    assert await scores(node, "races") == {ADA: -1}
    assert await node.services.races.void(attempt_id(DEAL, ADA), "a bot")
    mine, theirs = await result(node, ADA), await result(node, BOB)
    assert (mine.void, mine.won, mine.is_rated) == (True, False, False)
    assert (theirs.place, theirs.won, theirs.players) == (1, True, 3)
    assert await scores(node, "races") == {BOB: -1}
    assert set(await scores(node, "rating")) == {BOB}
    (ada,) = await histories(node, ADA)
    assert ada.rating(GAME).mean == RATING
    # Whoever enters the race again keeps to it.
    await node.services.races.apply(race(ADA, BOB, CYD))
    assert await result(node, ADA) == mine

    # Of two, the one who is left has raced against nobody.
    assert await node.services.races.void(attempt_id(DEAL, BOB), "another bot")
    last = await result(node, CYD)
    assert (last.place, last.won, last.is_rated) == (1, True, False)


async def test_only_results_of_races_can_be_taken_back(node: Node) -> None:
    assert not await node.services.races.void(attempt_id(DEAL, ADA), "no such race")
    await node.services.races.apply(race(ADA, BOB))
    assert not await node.services.races.void(attempt_id(DEAL, CYD), "not in it")
    assert not await node.services.races.void(AttemptId("nonsense"), "")


async def test_a_result_that_is_taken_back_meanwhile_is_void_in_the_end(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide = Races.decide

    async def taken_back(self: Races, *given: Any) -> Any:
        record = await decide(self, *given)
        await other.services.races.void(attempt_id(DEAL, ADA), "a bot")
        # What this node knows is older.
        return record

    monkeypatch.setattr(Races, "decide", taken_back)
    await node.services.races.apply(race(ADA, BOB))
    assert (await result(node, ADA)).void
    assert (await result(node, BOB)).won


async def test_who_keeps_an_identity_brings_earlier_races_along(node: Node) -> None:
    await node.services.races.apply(race(ADA, BOB))
    assert await scores(node, "races") == await scores(node, "rating") == {}
    await keep(node, ADA)
    assert await scores(node, "races") == {ADA: -1}
    assert set(await scores(node, "best")) == {ADA}


async def test_a_player_who_was_deleted_meanwhile_stays_deleted(node: Node) -> None:
    await keep(node, ADA, BOB)
    await node.services.races.apply(race(ADA, BOB, CYD))
    await node.effects.submit(Deleted(ADA, START))
    assert await node.services.races.met(ADA) == []
    await node.services.races.apply(race(ADA, BOB, CYD))
    await node.services.races.void(attempt_id(DEAL, BOB), "a bot")
    assert await histories(node, ADA) == [History()]
    assert await node.services.races.met(ADA) == []
    assert (await result(node, CYD)).place == 2
    assert await scores(node, "races") == {ADA: -1}


def test_a_race_is_read_as_it_was_written() -> None:
    over = RoundOver(CODE, 3, race(ADA, BOB))
    assert outbox_entries.decode(outbox_entries.encode(over)) == over
    assert over.field == f"{CODE}/3"
