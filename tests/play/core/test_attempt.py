"""Attempts: the journal entries of commands, and the states after them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board import apply_delta, view_of
from engine.cards import UNSEEN
from engine.catalog import games, ruleset
from engine.deal import deal_seed
from engine.moves import legal_moves
from engine.notation import move_text, parse_move
from engine.play import apply
from engine.ruleset import Move
from server.base.core.ids import attempt_id
from server.base.core.refusal import Refusal
from server.play.core import attempt
from server.play.core.attempt import UNDO_DEPTH, Attempt, Ended, Event, Hinted, Moved, Past, Undone
from server.play.core.result import MAX_MOVES, End, Help, Result
from tests.builders import ADA, DEAL, START, after, begun, homewards, line_home, refusal_of, started
from tests.engine.positions import SEED, easy_board
from tests.sizes import cases

DEADLINE = started().deadline


def play(state: Attempt, move: str, now: int) -> Moved:
    """Return the entry of a move, after checking its state and delta."""
    played = attempt.play(state, parse_move(state.board.ruleset, move), now)
    assert played.after == attempt.fold(state, played.event)
    assert apply_delta(view_of(state.board), played.delta) == view_of(played.after.board)
    assert isinstance(played.event, Moved)
    return played.event


def undo(state: Attempt, now: int) -> Undone:
    """Return the entry of an undo, after checking its state and delta."""
    undone = attempt.undo(state, now)
    assert undone.after == attempt.fold(state, undone.event)
    assert apply_delta(view_of(state.board), undone.delta) == view_of(undone.after.board)
    assert isinstance(undone.event, Undone)
    return undone.event


def test_an_attempt_starts_without_moves() -> None:
    state = begun()
    assert (state.id, state.seq, state.end) == (attempt_id(DEAL, ADA), 1, None)
    assert state.result == Result(home=1, left=51, time=0, moves=0, end=None)


def test_an_accepted_move_is_the_next_entry() -> None:
    state = begun()
    event = play(state, "s>w", START + 7)
    assert event == Moved("s>w", START + 7)
    moved = attempt.fold(state, event)
    assert (moved.seq, moved.board.moves, moved.end) == (2, 1, None)


def test_the_time_is_the_time_of_the_last_card_home() -> None:
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
    assert won.result == Result(home=52, left=0, time=5, moves=len(rest) + 1, end="won")


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
    assert resigned.result == msgspec.structs.replace(moved.result, end="resigned")


def test_leaving_before_the_start_resigns() -> None:
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
def test_an_attempt_ends_at_its_deadline_if_checked_later(now: int, event: Event | None) -> None:
    assert attempt.due(begun(), now) == event


def test_a_dead_end_found_by_a_search_ends_an_attempt_with_later_moves() -> None:
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
    return play(state, "s>w", now)


@pytest.mark.parametrize("decide", [play_legal_move, attempt.resign])
def test_nothing_happens_before_the_start(decide: Callable[[Attempt, int], Event]) -> None:
    assert refusal_of(lambda: decide(begun(), START - 1)) == "not_started"
    assert refusal_of(lambda: decide(begun(), START)) is None


@pytest.mark.parametrize("decide", [play_legal_move, attempt.resign])
def test_a_played_attempt_has_started_even_if_a_clock_lags(
    decide: Callable[[Attempt, int], Event],
) -> None:
    state = begun()
    state = attempt.fold(state, play(state, "s>w", START + 5))
    assert decide(state, START - 1).at == START + 5


def test_an_illegal_move_is_refused_with_the_engines_code_and_message() -> None:
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


def test_an_attempt_at_the_maximum_of_moves_can_only_be_resigned() -> None:
    state = begun()
    board = replace(state.board, moves=MAX_MOVES - 1)
    last = attempt.play(msgspec.structs.replace(state, board=board), move("s>w"), START).after
    assert (last.board.moves, last.end) == (MAX_MOVES, None)
    assert refusal_of(lambda: attempt.play(last, move("s>w"), START)) == "too_many_moves"
    assert attempt.resign(last, START) == Ended("resigned", START)
    assert attempt.due(last, DEADLINE) == Ended("time", DEADLINE)


def move(text: str) -> Move:
    return parse_move(ruleset("robert"), text)


def end_as_stuck(state: Attempt, now: int) -> Event | None:
    """Decide the end of an attempt that a search has found stuck at its last entry."""
    return attempt.end_stuck(state, state.seq, now)


@pytest.mark.parametrize("decide", [play_legal_move, attempt.resign, attempt.give_up, end_as_stuck])
def test_entry_times_never_decrease_with_the_clock(decide: Callable[[Attempt, int], Event]) -> None:
    assert decide(after(begun(), "s>w", START + 5_000), START + 1_000).at == START + 5_000


JOURNAL = [
    (
        started(),
        '{"type":"started","player":"ada0000000000000","deal":"dea1000000000000",'
        '"game":"robert","variant":"standard","room":"H7KQ2","day":null,'
        '"at":4102488000000,"deadline":4102488900000,"rules":"7e5944e3764a933f"}',
    ),
    (Moved("s>w", START), '{"type":"moved","move":"s>w","at":4102488000000}'),
    (Moved("s>w", START, "won"), '{"type":"moved","move":"s>w","at":4102488000000,"end":"won"}'),
    (
        started(allowed="hints"),
        '{"type":"started","player":"ada0000000000000","deal":"dea1000000000000",'
        '"game":"robert","variant":"standard","room":"H7KQ2","day":null,'
        '"at":4102488000000,"deadline":4102488900000,'
        '"rules":"7e5944e3764a933f","help":"hints"}',
    ),
    (Undone(START), '{"type":"undone","at":4102488000000}'),
    (Hinted("s>w", START), '{"type":"hinted","move":"s>w","at":4102488000000}'),
    (Ended("time", START), '{"type":"ended","end":"time","at":4102488000000}'),
]


@pytest.mark.parametrize(("event", "text"), JOURNAL)
def test_an_entry_keeps_its_stored_form(event: Event, text: str) -> None:
    assert msgspec.json.encode(event).decode() == text
    decoded: Event = msgspec.json.decode(text, type=Event)
    assert decoded == event


@st.composite
def walks(draw: st.DrawFn) -> tuple[Attempt, list[Event], Attempt]:
    game = draw(st.sampled_from(list(games())))
    allowed: Help = draw(st.sampled_from(get_args(Help)))
    board = deal_seed(ruleset(game), draw(st.binary(min_size=32, max_size=32)))
    first = begun(game, board, allowed=allowed)
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
    if chance.random() < 0.02:
        return attempt.resign(state, now)
    help_, moves = state.start.help, legal_moves(state.board)
    if help_ == "hints" and chance.random() < 0.2 and (hinted := attempt.hint(state, now)):
        return hinted
    if state.undoable and (not moves or chance.random() < 0.3):
        return undo(state, now)
    found = homewards(state.board) if chance.random() < 0.5 else chance.choice(moves)
    assert found is not None, "an attempt without legal moves has ended"
    return play(state, move_text(state.board.ruleset, found), now)


@settings(max_examples=cases(10, 40))
@given(walks())
def test_folding_a_journal_restores_an_attempt(walk: tuple[Attempt, list[Event], Attempt]) -> None:
    state, events, reached = walk
    total = state.board.ruleset.total
    for number, event in enumerate(events, start=2):
        before = state
        decoded: Event = msgspec.json.decode(msgspec.json.encode(event), type=Event)
        state = attempt.fold(state, decoded)
        result = state.result
        assert (state.seq, result.home + result.left) == (number, total)
        assert result.time <= event.at - START
        if not isinstance(event, Undone):
            assert result.home >= before.result.home or state.board.ruleset.gives_back
            assert before.result.time <= result.time
        assert result.moves == before.result.moves + isinstance(event, Moved | Undone)
        assert result.undos == before.result.undos + isinstance(event, Undone)
        assert result.hints == before.result.hints + isinstance(event, Hinted)
        assert state.end == getattr(event, "end", None)
    assert state == reached


@settings(max_examples=cases(10, 40))
@given(walks())
def test_the_moves_not_undone_lead_to_the_board(walk: tuple[Attempt, list[Event], Attempt]) -> None:
    first, events, reached = walk
    moves = list[str]()
    for event in events:
        match event:
            case Moved(move=move):
                moves.append(move)
            case Undone():
                moves.pop()
    board = first.board
    for text in moves:
        board = apply(board, parse_move(board.ruleset, text))
    assert replace(board, moves=board.moves + 2 * reached.undos) == reached.board
    may_undo = first.start.help != "none" and reached.end is None
    assert reached.undoable == (min(len(moves), UNDO_DEPTH) if may_undo else 0)


def test_an_undo_restores_board_cards_home_and_time_but_counts_as_a_move() -> None:
    state = begun(allowed="undo")
    first = homewards(state.board)
    assert first is not None
    before = state = after(state, move_text(state.board.ruleset, first), START + 1_000)
    while state.board.home == before.board.home:
        before = state
        found = homewards(state.board)
        assert found is not None
        state = after(state, move_text(state.board.ruleset, found), state.at + 1_000)
    undone = attempt.undo(state, state.at + 5).after
    assert undone.board.piles == before.board.piles
    assert (undone.result.home, undone.result.time) == (before.result.home, before.result.time)
    assert (undone.result.moves, undone.result.undos) == (state.result.moves + 1, 1)
    assert (undone.seq, undone.at) == (state.seq + 1, state.at + 5)


def test_an_undo_covers_a_seen_card_again_and_marks_the_result() -> None:
    state = begun(allowed="undo")
    played = attempt.undo(after(state, "s>w", START), START)
    assert view_of(played.after.board).piles == view_of(state.board).piles
    stock = state.board.ruleset.stock
    assert {pile: put for pile, _, put in played.delta.changes}[stock] == bytes((UNSEEN,))
    assert played.after.result.peeked
    again = attempt.undo(after(played.after, "s>w", START), START).after
    assert (again.result.undos, again.result.peeked) == (2, True)


def test_an_undo_that_covers_no_seen_card_is_not_marked() -> None:
    rules = ruleset("robert")
    state = begun(board=easy_board(rules), allowed="undo")
    while state.board.piles[rules.stock]:
        state = after(state, "s>w", START)
    for text in ("w>s", "s>w", "s>w"):
        state = after(state, text, START)
    for _ in range(3):
        state = attempt.undo(state, START).after
    assert not state.result.peeked
    assert attempt.undo(state, START).after.result.peeked


def test_a_dead_end_does_not_end_an_attempt_with_undo() -> None:
    board = deal_seed(ruleset("lady-betty"), SEED)
    state = begun("lady-betty", board, allowed="undo")
    for text in line_home(board):
        state = after(state, text, START)
    assert not legal_moves(state.board)
    assert (state.end, attempt.end_stuck(state, state.seq, START)) == (None, None)
    assert legal_moves(attempt.undo(state, START).after.board)


def test_the_last_permitted_move_cannot_be_undone_and_may_be_a_dead_end() -> None:
    state = begun(allowed="undo")
    board = replace(state.board, moves=MAX_MOVES - 1)
    last = attempt.play(msgspec.structs.replace(state, board=board), move("s>w"), START).after
    assert (last.board.moves, last.undoable) == (MAX_MOVES, 0)
    assert refusal_of(lambda: attempt.undo(last, START)) == "too_many_moves"
    assert attempt.end_stuck(last, last.seq, START) == Ended("stuck", START)


def test_only_the_latest_moves_can_be_undone() -> None:
    state = begun(allowed="undo")
    for text in ["s>w"] * 51 + ["w>s"] + ["s>w"] * 51:
        state = after(state, text, START)
    assert state.undoable == UNDO_DEPTH
    for _ in range(UNDO_DEPTH):
        state = attempt.undo(state, START).after
    assert refusal_of(lambda: attempt.undo(state, START)) == "nothing_to_undo"


@pytest.mark.parametrize(
    ("allowed", "undo_code", "hint_code"),
    [("none", "no_help", "no_help"), ("undo", None, "no_help"), ("hints", None, None)],
)
def test_help_must_be_allowed(allowed: Help, undo_code: str | None, hint_code: str | None) -> None:
    state = after(begun(allowed=allowed), "s>w", START)
    assert refusal_of(lambda: attempt.undo(state, START)) == undo_code
    assert refusal_of(lambda: attempt.hint(state, START)) == hint_code
    assert state.past == (() if allowed == "none" else (Past(begun().board, 0),))


def test_a_hint_holds_until_the_board_changes() -> None:
    state = begun(allowed="hints")
    event = attempt.hint(state, START)
    assert event == Hinted("s>w", START)
    state = attempt.fold(state, event)
    assert (state.hinted, state.result.hints, state.board) == (move("s>w"), 1, begun().board)
    assert attempt.hint(state, START) is None
    moved = after(state, "s>w", START)
    assert moved.hinted is None
    assert attempt.hint(moved, START) is not None
    undone = attempt.undo(moved, START).after
    assert (undone.hinted, undone.result.hints) == (None, 1)


def test_there_is_no_hint_without_a_useful_move() -> None:
    board = deal_seed(ruleset("lady-betty"), SEED)
    state = begun("lady-betty", board, allowed="hints")
    for text in line_home(board):
        state = after(state, text, START)
    assert attempt.hint(state, START) is None


@settings(max_examples=cases(10, 40))
@given(walks())
def test_an_undo_shows_only_cards_seen_before(walk: tuple[Attempt, list[Event], Attempt]) -> None:
    state, events, _ = walk
    states = [state]
    for event in events:
        if isinstance(event, Undone):
            played = attempt.undo(state, event.at)
            assert apply_delta(view_of(state.board), played.delta) == view_of(played.after.board)
            assert view_of(played.after.board).piles == view_of(states[-2].board).piles
            states.pop()
        state = attempt.fold(state, event)
        if isinstance(event, Moved):
            states.append(state)
