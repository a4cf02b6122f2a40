"""The pace bot: its moves and their times."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.board import Board
from engine.catalog import games, ruleset
from engine.deal import deal_seed
from engine.hints import hint
from engine.notation import move_text
from server.base.core.ids import PACE_BOT, DealId, is_id
from server.play.core import attempt, pace_bot
from server.play.core.attempt import Attempt, Ended, Moved, Started
from server.play.core.pace_bot import FASTEST_MS, FIRST_MOVE_AFTER_MS, SLOWEST_MS
from server.play.core.result import MAX_MOVES
from tests.builders import CODE, DEAL, LIMIT, START, begun

GAMES = sorted(games())


def bot(game: str = "robert", *, seed: int = 0, deal: str = DEAL, limit: int = LIMIT) -> Attempt:
    deadline = START + limit
    rules = ruleset(game)
    names = PACE_BOT, DealId(deal), game, "standard", CODE
    start = Started(*names, None, START, deadline, rules.digest)
    return attempt.begin(start, deal_seed(rules, seed.to_bytes(32, "big")))


def played(state: Attempt) -> list[Attempt]:
    found = [state]
    while found[-1].end is None:
        event = pace_bot.due(found[-1], found[-1].start.deadline)
        if event is None:
            break
        found.append(attempt.fold(found[-1], event))
    return found


def test_the_bot_is_an_ordinary_player_except_for_its_name() -> None:
    assert is_id(PACE_BOT)
    assert pace_bot.owns(bot())
    assert not pace_bot.owns(begun())


@settings(max_examples=10)
@given(st.sampled_from(GAMES), st.integers(0, 1_000))
def test_the_bot_plays_by_hints_at_its_pace_until_no_hint_is_left(game: str, seed: int) -> None:
    states = played(bot(game, seed=seed, limit=7_200_000))
    for before, after in pairwise(states):
        pause = after.at - before.at
        assert after.at == pace_bot.next_at(before)
        assert FASTEST_MS <= pause <= SLOWEST_MS if before.seq > 1 else pause == FIRST_MOVE_AFTER_MS
        move = hint(before.board)
        if move is None:
            assert (after.end, after.board) == ("resigned", before.board)
        else:
            assert pace_bot.due(before, after.at) == Moved(
                move_text(before.board.ruleset, move), after.at, after.end
            )
    assert states[-1].end is not None
    # On a few deals there is soon no hint left.
    assert len(states) > 2


@given(st.integers(0, 3_000))
def test_an_entry_is_due_at_its_time_and_does_not_change_later(late: int) -> None:
    state = bot()
    for _ in range(20):
        at = pace_bot.next_at(state)
        assert pace_bot.due(state, at - 1) is None
        event = pace_bot.due(state, at)
        assert event is not None
        assert pace_bot.due(state, at + late) == event
        state = attempt.fold(state, event)


def test_the_bots_pace_varies_with_the_deal_around_1800_ms() -> None:
    paces = []
    for number in range(20):
        times = [state.at for state in played(bot(deal=f"dea10000000000{number:02}"))]
        paces.append([after - before for before, after in pairwise(times[1:])])
    assert len({tuple(pace) for pace in paces}) == len(paces)
    every = [pause for pace in paces for pause in pace]
    assert 1_700 < sum(every) / len(every) < 1_900


def test_the_bot_stops_at_the_deadline() -> None:
    last = played(bot(limit=30_000))[-1]
    assert last.end is None
    assert pace_bot.next_at(last) >= last.start.deadline > last.at
    assert pace_bot.due(last, pace_bot.next_at(last)) is None
    assert attempt.due(last, last.start.deadline) == Ended("time", last.start.deadline)


def test_a_finished_attempt_gets_no_more_entries() -> None:
    over = played(bot(limit=7_200_000))[-1]
    assert pace_bot.due(over, over.start.deadline - 1) is None


def test_the_bot_resigns_at_the_maximum_of_moves() -> None:
    state = bot()
    before = state.board
    full = replace(state, board=Board(before.ruleset, before.piles, before.redeals, MAX_MOVES))
    at = pace_bot.next_at(full)
    assert pace_bot.due(full, at) == Ended("resigned", at)
