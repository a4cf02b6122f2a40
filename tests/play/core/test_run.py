"""Runs: reading one from a journal, and checking the file of one."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.catalog import games, ruleset
from engine.deal import commitment, deal_seed
from server.base.core.ids import DealId
from server.play.core import attempt as core
from server.play.core.attempt import UNDONE, Attempt, Ended, Event, Started
from server.play.core.result import Help
from server.play.core.run import FileResult, RunFile, Runner, check, parse_file, run_of
from tests.builders import ADA, DEAL, LIMIT, START, homewards
from tests.vectors.generate import FOLDER

GOLDEN = (FOLDER / "run.json").read_bytes()
FILE = parse_file(GOLDEN)


def played(
    game: str, seed: bytes, pauses: list[int], allowed: Help = "none"
) -> tuple[Attempt, list[Event]]:
    """Return a resigned attempt at a seed's deal, with these pauses, and its journal.

    If permitted, every fifth move is undone, and every seventh entry is a hint.
    """
    rules = ruleset(game)
    names = ADA, DEAL, game, "standard"
    start = Started(*names, None, 20_000, START, START + LIMIT, rules.digest, allowed)
    state, now = core.begin(start, deal_seed(rules, seed)), START
    events: list[Event] = [start]
    for pause in pauses:
        move = homewards(state.board)
        if move is None or state.end is not None:
            break
        now += pause
        if allowed == "hints" and len(events) % 7 == 0 and (given := core.hint(state, now)):
            events.append(given)
            state = core.fold(state, given)
        undoes = state.undoable and len(events) % 5 == 0
        decided = core.undo(state, now) if undoes else core.play(state, move, now)
        events.append(decided.event)
        state = decided.after
    if state.end is None:
        events.append(core.resign(state, now + 1))
        state = core.fold(state, events[-1])
    return state, events


def file_of(state: Attempt, events: list[Event], seed: bytes) -> RunFile:
    run, result = run_of(events), state.result
    assert run is not None
    assert result.end is not None
    start = run.start
    return RunFile(
        format=1,
        deal=start.deal,
        game=start.game,
        variant=start.variant,
        rules=start.rules,
        commitment=commitment(start.deal, seed),
        seed=seed.hex(),
        player=Runner(start.player, "Ada", "4F2A"),
        started=start.at,
        deadline=start.deadline,
        moves=list(run.moves),
        ended=run.ended,
        result=msgspec.convert(msgspec.to_builtins(result), FileResult),
        help=start.help,
    )


@given(
    allowed=st.sampled_from(get_args(Help)),
    game=st.sampled_from(sorted(games())),
    seed=st.binary(min_size=32, max_size=32),
    pauses=st.lists(st.integers(0, 5_000), max_size=60),
)
def test_every_run_file_is_valid(game: str, seed: bytes, pauses: list[int], allowed: Help) -> None:
    state, events = played(game, seed, pauses, allowed)
    assert check(parse_file(msgspec.json.encode(file_of(state, events, seed)))) is None


def test_a_run_includes_undos_as_moves_and_counts_hints() -> None:
    state, events = played("robert", bytes(32), [10] * 30, "hints")
    run = run_of(events)
    assert run is not None
    undone = [text for text, _ in run.moves if text == UNDONE]
    assert (len(undone), run.hints) == (state.result.undos, state.result.hints)
    assert undone
    assert run.hints > 0


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"undos": 0}, "The file says 0 moves undone, and its moves make it"),
        ({"peeked": False}, "The file says peeked: False"),
        ({"end": "stuck"}, "The file says stuck, but the moves end differently"),
    ],
)
def test_errors_in_a_run_with_help_are_reported(fields: dict[str, Any], sentence: str) -> None:
    file = file_of(*played("robert", bytes(32), [10] * 30, "undo"), bytes(32))
    wrong = msgspec.structs.replace(file.result, **fields)
    assert sentence in (check(msgspec.structs.replace(file, result=wrong)) or "")


def test_an_undo_in_a_run_without_help_is_refused() -> None:
    file = file_of(*played("robert", bytes(32), [10] * 30, "undo"), bytes(32))
    found = check(msgspec.structs.replace(file, help="none"))
    assert "undo, cannot be played: " in (found or "")


def test_a_running_attempt_is_not_a_run() -> None:
    _, events = played("robert", bytes(32), [10] * 5)
    assert run_of(events) is not None
    assert (run_of(events[:-1]), run_of([])) == (None, None)


def test_a_run_out_of_time_ends_at_its_deadline() -> None:
    _, events = played("robert", bytes(32), [10] * 5)
    run = run_of([*events[:-1], Ended("time", START + LIMIT)])
    assert run is not None
    assert (run.end, run.ended, [time for _, time in run.moves]) == (
        *("time", LIMIT),
        [10, 20, 30, 40, 50],
    )


def changed(**fields: Any) -> RunFile:
    return msgspec.structs.replace(FILE, **fields)


def result(**fields: Any) -> RunFile:
    return changed(result=msgspec.structs.replace(FILE.result, **fields))


def test_the_golden_run_is_valid() -> None:
    assert check(FILE) is None


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        (changed(deal=DealId("another")), "The seed has the commitment"),
        (changed(seed="00" * 31 + "01"), "The seed has the commitment"),
        (changed(moves=[*FILE.moves[:3], *FILE.moves[4:]]), "cannot be played: "),
        (changed(moves=[("t0>t99", 0), *FILE.moves]), "Move 1, t0>t99, cannot be played: "),
        (
            changed(moves=[FILE.moves[0], (FILE.moves[1][0], 1), *FILE.moves[2:]]),
            "is earlier than the one before it",
        ),
        (changed(deadline=FILE.started + 10), "is later than the deadline"),
        (changed(ended=10), "The end is not at the time of the last move"),
        (result(home=FILE.result.home + 1), "cards home, and its moves make it"),
        (result(left=FILE.result.left - 1), "cards left, and its moves make it"),
        (result(time=FILE.result.time - 1), "ms until the last card came home"),
        (result(moves=FILE.result.moves - 1), "moves, and its moves make it"),
        (result(end="won"), "The file says won"),
        (result(end="time"), "The file says time"),
    ],
)
def test_errors_in_a_run_are_reported(file: RunFile, sentence: str) -> None:
    found = check(file)
    assert found is not None
    assert sentence in found


def test_a_run_is_stuck_only_if_no_card_can_come_home() -> None:
    """After the golden run's first moves, cards still can."""
    first = next(n for n, (text, _) in enumerate(FILE.moves) if ">f" in text)
    early = changed(
        moves=FILE.moves[:first], ended=FILE.ended, result=replace_result(home=0, moves=first)
    )
    assert check(early) == "The file says stuck, but the moves end differently."


def replace_result(*, home: int, moves: int) -> FileResult:
    """Return the result of a run that claims to be stuck."""
    return FileResult(home, FILE.result.home + FILE.result.left - home, 0, moves, "stuck")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"\xff",
        b"{}",
        GOLDEN.replace(b'"run"', b'"walk"', 1),
        GOLDEN.replace(b'"format":1', b'"format":2'),
        GOLDEN.replace(b'"ended":', b'"ended":-'),
        GOLDEN + b" " * (1 << 20),
    ],
)
def test_malformed_files_are_rejected(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_file(content)
