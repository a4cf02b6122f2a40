"""Recording finished races in histories, ratings and leaderboards, by any node, repeatedly."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from server.accounts.core.effects import Deleted, Kept
from server.base.core.ids import PACE_BOT, AttemptId, DealId, PlayerId, attempt_id
from server.base.core.refusal import UnavailableError
from server.base.outbox import effects
from server.base.work.random_text import random_bot_id, random_room_code
from server.play.core.result import Help
from server.players.core import keys as players_keys
from server.results.core.boards import BoardId, Scope
from server.results.core.contests import MOST, PLAYED_MOVES
from server.results.core.history import RATING, History, RoundResult
from server.results.core.race_results import Decision, Race
from server.results.histories import Histories
from server.results.histories_store import HistoryStore
from server.rooms.core import quick_match
from server.rooms.core.effects import RoundOver
from server.rooms.core.room import Room
from server.rooms.race_records_store import RaceRecordStore
from tests.base.outbox.outboxes import all_effects
from tests.builders import ADA, BOB, CODE, CYD, DAN, DEAL, PLAYERS, START, reached, round_of
from tests.conftest import ALONE
from tests.nodes import BEGUN, Node, attempt_of
from tests.order import Followed, out_of_order

pytestmark = ALONE

GAME = "robert"
OTHER_DEAL = DealId("dea2000000000000")


def race(*players: PlayerId, allowed: Help = "none", home: int = 0, deal: DealId = DEAL) -> Race:
    """Return a race; each player brought five more cards home than the next one."""
    count = len(players)
    results = {player: reached(5 * (count - nth), 60_000, 40) for nth, player in enumerate(players)}
    return Race(deal, GAME, START, home, allowed, results, CODE, START)


async def histories(node: Node, *players: PlayerId) -> list[History]:
    return [await node.services.histories.load(player) for player in players]


async def result(node: Node, player: PlayerId) -> RoundResult:
    (found,) = await histories(node, player)
    return found.rounds[GAME, DEAL]


async def scores(node: Node, scope: Scope, game: str = GAME) -> dict[PlayerId, int]:
    variant = "standard" if scope == "best" else ""
    board = BoardId(scope, game, 0, "ranked", variant)
    rows = (await node.services.leaderboards.top(board)).rows
    return {row.player: row.score for row in rows}


async def keep(node: Node, *players: PlayerId) -> None:
    for player in players:
        await node.services.histories.keep(player, START)


async def give_up(node: Node, room: Room, *players: PlayerId) -> None:
    for player in players:
        await node.attempts.give_up(attempt_of(room, player))


async def test_a_finished_round_is_in_histories_and_on_leaderboards(node: Node) -> None:
    await keep(node, ADA, BOB)
    room, _ = await node.race_of(ADA, BOB)
    node.clock.time = BEGUN + 1_000
    assert room.round is not None
    for _ in range(PLAYED_MOVES):
        reached_home = (await node.play(attempt_of(room, BOB), BOB)).after.result.home
    while (await node.play(attempt_of(room, ADA), ADA)).after.result.home <= reached_home:
        node.clock.time += 1_000
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
    assert await node.services.race_recorder.met(ADA) == [BOB]
    assert await node.services.race_recorder.met(BOB) == [ADA]
    assert await all_effects(node.services.outbox_store) == []


async def test_a_player_whose_keeping_is_still_pending_is_ranked(node: Node) -> None:
    await keep(node, BOB)
    await node.services.accounts.new_recovery_code(ADA, 0, confirmed=False)
    offer = await node.redis.hget(players_keys.player(ADA), "offer")
    assert isinstance(offer, str)
    pending = Kept(ADA, START - 1, code=offer)
    await node.services.outbox_store.put_effect(pending.field, effects.encode(pending))
    await node.services.race_recorder.apply(race(ADA, BOB))
    assert (await result(node, ADA)).ranked
    assert await all_effects(node.services.outbox_store) == []


async def test_a_sweeper_records_a_dead_nodes_race(node: Node, other: Node) -> None:
    room, code = await node.race_of(ADA, BOB)
    node.clock.time = BEGUN
    await node.play(attempt_of(room, ADA), ADA)
    await give_up(node, room, ADA, BOB)
    # The node dies before it applies the last effect, caused by these two.
    for _ in range(2):
        await node.outbox.apply(node.outbox.queue.get_nowait())
    ((field, _),) = await all_effects(node.services.outbox_store)
    assert field == f"{code}/1"

    await other.sweep()
    ada, bob = await histories(other, ADA, BOB)
    assert len(ada.rounds) == len(bob.rounds) == 1
    assert await all_effects(node.services.outbox_store) == []


async def test_a_round_against_the_pace_bot_is_not_a_race(node: Node) -> None:
    code = random_room_code()
    await node.rooms.match(code, ADA, GAME)
    node.clock.time += 60_000
    await node.rooms.decide(code, quick_match.seat_bot)
    room = await node.rooms.start(code, None, [ADA, PACE_BOT])
    node.clock.time += 60_000
    await give_up(node, room, ADA, PACE_BOT)
    await node.apply_effects()
    room = await node.rooms.load(code)
    assert round_of(room).over
    assert await histories(node, ADA, PACE_BOT) == [History(), History()]
    assert await node.services.race_recorder.met(ADA) == []


async def test_a_race_is_decided_as_if_the_bots_of_players_were_not_there(node: Node) -> None:
    bot = random_bot_id()
    room, code = await node.race_of(bot, ADA, BOB)
    node.clock.time = BEGUN
    for player in (bot, ADA, BOB):
        await node.play(attempt_of(room, player), player)
    node.clock.time += 60_000
    await give_up(node, room, bot, ADA, BOB)
    await node.apply_effects()
    room = await node.rooms.load(code)
    assert round_of(room).results.keys() == {bot, ADA, BOB}
    nothing, *played = await histories(node, bot, ADA, BOB)
    assert nothing == History()
    assert [[each.players for each in history.rounds.values()] for history in played] == [[2], [2]]


async def test_a_round_against_a_players_bot_is_not_a_race(node: Node) -> None:
    bot = random_bot_id()
    room, _ = await node.race_of(ADA, bot)
    node.clock.time = BEGUN
    for player in (ADA, bot):
        await node.play(attempt_of(room, player), player)
    node.clock.time += 60_000
    await give_up(node, room, ADA, bot)
    await node.apply_effects()
    assert await histories(node, ADA, bot) == [History(), History()]


async def test_applying_a_race_again_or_concurrently_is_idempotent(node: Node, other: Node) -> None:
    nodes = [node, other] * 3
    await keep(node, ADA, BOB, CYD)
    over = race(ADA, BOB, CYD)
    await asyncio.gather(*(each.services.race_recorder.apply(over) for each in nodes))
    found = await histories(node, ADA, BOB, CYD)
    shifts = [each.rounds[GAME, DEAL].shift for each in found]
    assert sum(shifts) == pytest.approx(0, abs=1e-9)
    assert shifts[0] > shifts[1] > shifts[2]
    await node.services.race_recorder.apply(over)
    assert await histories(node, ADA, BOB, CYD) == found


async def test_the_first_decision_stands_after_a_failure(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    await keep(node, ADA, BOB, CYD)
    change = HistoryStore.change

    async def failing(
        self: HistoryStore, player: PlayerId, version: int, fields: dict[str, str | None]
    ) -> bool:
        if player == BOB and any(field.startswith("r:") for field in fields):
            raise UnavailableError("the store does not answer")
        return await change(self, player, version, fields)

    with monkeypatch.context() as patch:
        patch.setattr(HistoryStore, "change", failing)
        with pytest.raises(UnavailableError):
            await node.services.race_recorder.apply(race(ADA, BOB))
    mine = await result(node, ADA)

    # Bob races elsewhere before his result is recorded: the later race records it first.
    await other.services.race_recorder.apply(
        replace(race(CYD, BOB), deal=DealId("dea2000000000000"))
    )
    theirs = await result(node, BOB)
    await other.services.race_recorder.apply(race(ADA, BOB))
    assert (await result(node, ADA), await result(node, BOB)) == (mine, theirs)
    assert theirs.shift == pytest.approx(-mine.shift)


async def test_races_with_help_or_without_cards_are_not_rated(node: Node) -> None:
    await keep(node, ADA, BOB)
    await node.services.race_recorder.apply(race(ADA, BOB, allowed="hints"))
    assert (await result(node, ADA)).won
    assert not (await result(node, ADA)).is_rated
    assert await scores(node, "races") == {ADA: -1}
    assert await scores(node, "best") == await scores(node, "rating") == {}


async def test_runs_without_a_card_share_the_last_rank(node: Node) -> None:
    await keep(node, ADA, BOB, CYD)
    await node.services.race_recorder.apply(race(ADA, BOB, CYD, home=10))
    found = [await result(node, player) for player in (ADA, BOB, CYD)]
    assert [(each.place, each.won) for each in found] == [(1, True), (3, False), (3, False)]
    assert found[1].shift == found[2].shift < 0


async def test_voiding_a_result_ranks_the_others_again(node: Node) -> None:
    await keep(node, ADA, BOB, CYD)
    await node.services.race_recorder.apply(race(ADA, BOB, CYD))
    assert await scores(node, "races") == {ADA: -1}
    assert await node.services.race_recorder.void(attempt_id(DEAL, ADA), "a bot")
    mine, theirs = await result(node, ADA), await result(node, BOB)
    assert (mine.void, mine.won, mine.is_rated) == (True, False, False)
    assert (theirs.place, theirs.won, theirs.players) == (1, True, 3)
    assert (await scores(node, "races"), set(await scores(node, "rating"))) == ({BOB: -1}, {BOB})
    (ada,) = await histories(node, ADA)
    assert ada.rating(GAME).mean == RATING
    # Recording the race again keeps it void.
    await node.services.race_recorder.apply(race(ADA, BOB, CYD))
    assert await result(node, ADA) == mine

    # Of two players, the remaining one has no opponent.
    assert await node.services.race_recorder.void(attempt_id(DEAL, BOB), "another bot")
    last = await result(node, CYD)
    assert (last.place, last.won, last.is_rated) == (1, True, False)


async def test_only_results_of_races_can_be_voided(node: Node) -> None:
    assert not await node.services.race_recorder.void(attempt_id(DEAL, ADA), "no such race")
    await node.services.race_recorder.apply(race(ADA, BOB))
    assert not await node.services.race_recorder.void(attempt_id(DEAL, CYD), "not in it")
    assert not await node.services.race_recorder.void(AttemptId("nonsense"), "")


async def test_a_result_voided_concurrently_is_void_in_the_end(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide = RaceRecordStore.decide

    async def taken_back(self: RaceRecordStore, *given: Any) -> Any:
        record = await decide(self, *given)
        await other.services.race_recorder.void(attempt_id(DEAL, ADA), "a bot")
        # This node's copy is older.
        return record

    monkeypatch.setattr(RaceRecordStore, "decide", taken_back)
    await node.services.race_recorder.apply(race(ADA, BOB))
    assert (await result(node, ADA)).void
    assert (await result(node, BOB)).won


async def test_a_new_account_starts_with_a_new_rating(node: Node) -> None:
    await node.services.race_recorder.apply(race(ADA, BOB))
    await keep(node, ADA)
    assert await scores(node, "races") == await scores(node, "rating") == {}
    assert await scores(node, "best") == {}
    (ada,) = await histories(node, ADA)
    assert (ada.rating(GAME).rated, ada.races_won(GAME)) == (0, 0)
    await node.services.race_recorder.apply(race(ADA, BOB, deal=OTHER_DEAL))
    assert await scores(node, "races") == {ADA: -1}
    assert set(await scores(node, "best")) == set(await scores(node, "rating")) == {ADA}


async def test_races_that_end_together_move_ratings_in_sequence(node: Node, other: Node) -> None:
    """Recorded concurrently by several nodes, each builds on the ratings after the others."""
    await keep(node, *PLAYERS)
    random = Random(1)
    overs = [
        race(*random.sample(PLAYERS, random.randint(2, 4)), deal=DealId(f"dea{n:013}"))
        for n in range(16)
    ]
    await asyncio.gather(
        *(each.services.race_recorder.apply(over) for over in overs for each in (node, other))
    )
    assert out_of_order(await followed(node, overs)) == []
    for each in await node.services.histories.excerpts(PLAYERS, (), [(GAME, overs[0].deal)]):
        assert each.claims == {}


async def followed(node: Node, overs: Sequence[Race]) -> list[Followed]:
    """Return the decisions on some races, and their effects on the players."""
    found: list[Followed] = []
    for over in overs:
        record = await node.services.race_record_store.find(over.deal)
        assert record is not None
        held = await histories(node, *over.results)
        results = {
            player: each.rounds[GAME, over.deal]
            for player, each in zip(over.results, held, strict=True)
        }
        found.append((msgspec.json.decode(record.decided, type=Decision), results))
    return found


@pytest.mark.parametrize("last", ["claim", "decision", "result"])
async def test_a_race_of_a_killed_node_is_recorded_by_the_next_race(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    """At whatever step the node was killed, no race waits for it, and the order is consistent."""
    await keep(node, *PLAYERS)
    one, next_ = race(ADA, BOB, CYD), race(BOB, DAN, deal=OTHER_DEAL)
    claim, decide, add = Histories.claim, RaceRecordStore.decide, Histories.add_round

    async def claimed(self: Histories, player: PlayerId, *given: Any) -> Any:
        if last == "claim" and self is node.services.histories and player == CYD:
            raise UnavailableError("it was killed")
        return await claim(self, player, *given)

    async def decided(self: RaceRecordStore, *given: Any) -> Any:
        found = await decide(self, *given)
        if last == "decision" and self is node.services.race_record_store:
            raise UnavailableError("it was killed")
        return found

    async def added(self: Histories, player: PlayerId, *given: Any) -> None:
        if last == "result" and self is node.services.histories and player == BOB:
            raise UnavailableError("it was killed")
        await add(self, player, *given)

    monkeypatch.setattr(Histories, "claim", claimed)
    monkeypatch.setattr(RaceRecordStore, "decide", decided)
    monkeypatch.setattr(Histories, "add_round", added)
    with pytest.raises(UnavailableError):
        await node.services.race_recorder.apply(one)
    await other.services.race_recorder.apply(next_)
    assert (await result(other, BOB)).is_rated
    assert out_of_order(await followed(other, [one, next_])) == []


async def test_repeated_races_of_the_same_two_players_count_less(node: Node) -> None:
    await keep(node, ADA, BOB)
    for number in range(9):
        await submit(node, race(ADA, BOB, deal=DealId(f"dea{number:013}")))
    (ada,) = await histories(node, ADA)
    assert ada.races_won(GAME) == MOST
    assert len([r for (_, deal), r in sorted(ada.rounds.items()) if r.is_rated]) == 6
    (found,) = await node.services.suspicions.list()
    assert f"It was race number 9 against {BOB} within a day." in found.reasons[0].text


async def test_two_at_one_address_move_no_rating_and_are_told_of(node: Node) -> None:
    await keep(node, ADA, BOB, CYD)
    for player, address in ((ADA, "2001:db8::"), (BOB, "2001:db8:0:1::"), (CYD, "192.0.2.2")):
        wide = "2001:db8::/48" if ":" in address else None
        await node.services.room_addresses.record(CODE, player, address, wide)
    await submit(node, race(ADA, BOB))
    assert not (await result(node, ADA)).is_rated
    await submit(node, race(ADA, CYD, deal=OTHER_DEAL))
    (ada,) = await histories(node, ADA)
    assert ada.rounds[GAME, OTHER_DEAL].is_rated
    (found,) = await node.services.suspicions.list()
    assert found.reasons[0].text == f"{BOB} played at the same address."


async def test_wins_against_idle_opponents_are_reported(node: Node) -> None:
    """Any number of them makes one row in the list."""
    await keep(node, ADA, *PLAYERS)
    for number, other in enumerate((BOB, CYD, DAN)):
        over = race(ADA, other, deal=DealId(f"dea{number:013}"))
        idle = {other: reached(0, moves=1)}
        await submit(node, replace(over, results=over.results | idle))
        assert len(await node.services.suspicions.list()) == (number == 2)
    (found,) = await node.services.suspicions.list()
    assert found.player == ADA
    assert "3 races were won within a day against idle opponents" in found.reasons[0].text
    assert await scores(node, "rating") == {}


async def test_an_unrated_race_still_counts(node: Node) -> None:
    await keep(node, ADA, BOB)
    await node.services.race_recorder.apply(replace(race(ADA, BOB), rated=False))
    assert (await scores(node, "races"), await scores(node, "rating")) == ({ADA: -1}, {})


async def submit(node: Node, over: Race) -> None:
    await node.outbox.apply(RoundOver(1, over))


async def test_a_player_deleted_meanwhile_stays_deleted(node: Node) -> None:
    await keep(node, ADA, BOB)
    await node.services.race_recorder.apply(race(ADA, BOB, CYD))
    await node.outbox.submit(Deleted(ADA, START))
    assert await node.services.race_recorder.met(ADA) == []
    await node.services.race_recorder.apply(race(ADA, BOB, CYD))
    await node.services.race_recorder.void(attempt_id(DEAL, BOB), "a bot")
    assert await histories(node, ADA) == [History()]
    assert await node.services.race_recorder.met(ADA) == []
    assert ((await result(node, CYD)).place, await scores(node, "races")) == (2, {ADA: -1})


def test_a_race_is_read_as_it_was_written(node: Node) -> None:
    over = RoundOver(3, race(ADA, BOB))
    assert (node.services.outbox.decode(effects.encode(over)), over.field) == (over, f"{CODE}/3")
