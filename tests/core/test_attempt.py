"""An attempt: the entries that commands become, and the states after them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import replace
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board import apply_delta, view_of
from engine.catalog import games, ruleset
from engine.deal import deal_seed
from engine.moves import legal_moves
from engine.notation import move_text, parse_move
from engine.ruleset import Move
from server.core import attempt
from server.core.attempt import Attempt, Ended, Event, Moved
from server.core.ids import attempt_id
from server.core.ranking import MAX_MOVES, End, Result
from server.core.refusal import Refusal
from tests.core.builders import (
    ADA,
    DEAL,
    LIMIT,
    START,
    after,
    begun,
    homewards,
    line_home,
    refusal_of,
    started,
)
from tests.engine.positions import SEED

DEADLINE = START + LIMIT


def play(state: Attempt, move: str, now: int) -> Moved:
    """Return the entry of a move; check the state and delta that come with it."""
    played = attempt.play(state, parse_move(state.board.ruleset, move), now)
    assert played.after == attempt.fold(state, played.event)
    assert apply_delta(view_of(state.board), played.delta) == view_of(played.after.board)
    return played.event


def test_an_attempt_begins_with_nothing_done() -> None:
    state = begun()
    assert (state.id, state.seq, state.end) == (attempt_id(DEAL, ADA), 1, None)
    assert state.result == Result(home=1, left=51, time=0, moves=0, end=None)


def test_an_accepted_move_is_the_next_entry() -> None:
    state = begun()
    event = play(state, "s>w", START + 7)
    assert event == Moved("s>w", START + 7)
    moved = attempt.fold(state, event)
    assert (moved.seq, moved.board.moves, moved.end) == (2, 1, None)


def test_the_time_is_that_of_the_last_card_that_came_home() -> None:
    state, shown = begun(), 0
    for step, move in enumerate(line_home(state.board), start=1):
        before, state = state, after(state, move, START + step * 1_000)
        if state.board.home > before.board.home:
            shown = step * 1_000
        assert state.result.time == shown
    assert shown > 0


def test_the_move_that_brings_the_last_card_home_wins() -> None:
    state = begun()
    *rest, last = line_home(state.board)
    for move in rest:
        state = after(state, move, START)
        assert state.end is None
    event = play(state, last, START + 5)
    assert event == Moved(last, START + 5, "won")
    won = attempt.fold(state, event)
    assert won.result == Result(
        home=52, left=0, time=5, moves=len(rest) + 1, end="won"
    )  # fmt: skip


def test_an_attempt_with_no_legal_move_left_ends_as_stuck() -> None:
    board = deal_seed(ruleset("lady-betty"), SEED)
    state = begun("lady-betty", board)
    for move in line_home(board):
        state = after(state, move, START)
    assert state.end == "stuck"
    assert state.result.left > 0


def test_resigning_ends_an_attempt_with_its_result_so_far() -> None:
    moved = after(begun(), "s>w", START + 5)
    event = attempt.resign(moved, START + 9)
    assert event == Ended("resigned", START + 9)
    resigned = attempt.fold(moved, event)
    assert (resigned.start, resigned.seq, resigned.at) == (moved.start, 3, START + 9)
    assert resigned.result == dataclasses.replace(moved.result, end="resigned")


def test_a_player_who_leaves_before_the_start_has_resigned() -> None:
    assert attempt.give_up(begun(), START - 1) == Ended("resigned", START)


@pytest.mark.parametrize(
    ("now", "event"),
    [
        (START, None),
        (DEADLINE - 1, None),
        (DEADLINE, Ended("time", DEADLINE)),
        (DEADLINE + 99_999, Ended("time", DEADLINE)),
    ],
)
def test_an_attempt_ends_at_its_deadline_however_late_it_is_checked(
    now: int, event: Event | None
) -> None:
    assert attempt.due(begun(), now) == event


def test_a_dead_end_found_by_a_search_also_ends_an_attempt_that_has_gone_on() -> None:
    state = after(begun(), "s>w", START)
    assert attempt.end_stuck(state, 3, START) is None
    for seq in (2, 1):
        event = attempt.end_stuck(state, seq, START + 5)
        assert event == Ended("stuck", START + 5)
        ended = attempt.fold(state, event)
        assert (ended.end, ended.result.home) == ("stuck", state.result.home)
        assert attempt.end_stuck(ended, seq, START + 6) is None


@pytest.mark.parametrize("end", ["won", "stuck", "resigned", "time"])
def test_nothing_follows_an_end(end: End) -> None:
    state = attempt.fold(begun(), Ended(end, START))
    assert attempt.due(state, DEADLINE) is None
    for decide in (play_legal_move, attempt.resign):
        with pytest.raises(Refusal, match="attempt_ended"):
            decide(state, START)
    assert attempt.give_up(state, START) is None


def play_legal_move(state: Attempt, now: int) -> Event:
    """Decide a legal move."""
    return play(state, "s>w", now)


@pytest.mark.parametrize("decide", [play_legal_move, attempt.resign])
def test_nothing_happens_before_the_start(decide: Callable[[Attempt, int], Event]) -> None:
    with pytest.raises(Refusal, match="not_started"):
        decide(begun(), START - 1)
    assert refusal_of(lambda: decide(begun(), START)) is None


def test_an_illegal_move_is_refused_with_the_code_and_sentence_of_the_engine() -> None:
    with pytest.raises(Refusal, match="illegal_move") as refusal:
        play(begun(), "f0>s", START)
    assert refusal.value.text == "f0>s is not a legal move here."


SMALL = st.integers(-3, 20)


@given(SMALL, SMALL, SMALL)
def test_any_move_is_played_or_refused(source: int, target: int, count: int) -> None:
    state = begun()
    code = refusal_of(lambda: attempt.play(state, Move(source, target, count), START))
    assert code in {None, "illegal_move"}
    assert (code is None) == (Move(source, target, count) in legal_moves(state.board))


def test_an_attempt_with_max_moves_takes_no_more_and_can_be_resigned() -> None:
    state = begun()
    board = replace(state.board, moves=MAX_MOVES - 1)
    last = attempt.play(msgspec.structs.replace(state, board=board), move("s>w"), START).after
    assert last.board.moves == MAX_MOVES
    assert last.end is None
    with pytest.raises(Refusal, match="too_many_moves"):
        attempt.play(last, move("s>w"), START)
    assert attempt.resign(last, START) == Ended("resigned", START)
    assert attempt.due(last, DEADLINE) == Ended("time", DEADLINE)


def move(text: str) -> Move:
    """Return a move of the game that is played here."""
    return parse_move(ruleset("robert"), text)


def end_as_stuck(state: Attempt, now: int) -> Event | None:
    """Decide the end of an attempt that a search has found to be stuck at its last entry."""
    return attempt.end_stuck(state, state.seq, now)


@pytest.mark.parametrize("decide", [play_legal_move, attempt.resign, attempt.give_up, end_as_stuck])
def test_entries_stay_in_order_of_time_though_the_clock_was_set_back(
    decide: Callable[[Attempt, int], Event],
) -> None:
    state = after(begun(), "s>w", START + 5_000)
    assert decide(state, START + 1_000).at == START + 5_000


JOURNAL = [
    (
        started(),
        '{"type":"started","player":"ada0000000000000","deal":"dea1000000000000",'
        '"game":"robert","variant":"standard","room":"H7KQ2","day":null,'
        '"at":4102488000000,"deadline":4102488900000}',
    ),
    (Moved("s>w", START), '{"type":"moved","move":"s>w","at":4102488000000}'),
    (Moved("s>w", START, "won"), '{"type":"moved","move":"s>w","at":4102488000000,"end":"won"}'),
    (Ended("time", START), '{"type":"ended","end":"time","at":4102488000000}'),
]


@pytest.mark.parametrize(("event", "text"), JOURNAL)
def test_an_entry_keeps_its_stored_form(event: Event, text: str) -> None:
    assert msgspec.json.encode(event).decode() == text
    decoded: Event = msgspec.json.decode(text, type=Event)
    assert decoded == event


@st.composite
def walks(draw: st.DrawFn) -> tuple[Attempt, list[Event], Attempt]:
    """Draw an attempt, the events of a line of play from it, and the attempt after them."""
    game = draw(st.sampled_from(list(games())))
    first = begun(game, deal_seed(ruleset(game), draw(st.binary(min_size=32, max_size=32))))
    chance = Random(draw(st.integers()))
    state, events, now = first, list[Event](), START
    for _ in range(draw(st.integers(0, 60))):
        if state.end is not None:
            break
        now += chance.randrange(20_000)
        event = attempt.due(state, now) or _any_event(state, chance, now)
        state = attempt.fold(state, event)
        events.append(event)
    return first, events, state


def _any_event(state: Attempt, chance: Random, now: int) -> Event:
    """Return the event of some command that is accepted."""
    if chance.random() < 0.02:
        return attempt.resign(state, now)
    moves = legal_moves(state.board)
    found = homewards(state.board) if chance.random() < 0.5 else chance.choice(moves)
    assert found is not None, "an attempt without a move is over"
    return play(state, move_text(state.board.ruleset, found), now)


@settings(max_examples=40)
@given(walks())
def test_folding_the_journal_restores_the_attempt(
    walk: tuple[Attempt, list[Event], Attempt],
) -> None:
    state, events, reached = walk
    total = state.board.ruleset.total
    for number, event in enumerate(events, start=2):
        before = state
        decoded: Event = msgspec.json.decode(msgspec.json.encode(event), type=Event)
        state = attempt.fold(state, decoded)
        result = state.result
        assert state.seq == number
        assert result.home + result.left == total
        assert result.home >= before.result.home
        assert before.result.time <= result.time <= event.at - START
        assert result.moves == before.result.moves + isinstance(event, Moved)
        assert isinstance(event, Moved | Ended)
        assert state.end == event.end
    assert state == reached
