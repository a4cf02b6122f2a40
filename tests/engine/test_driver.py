"""The driver: one JSON object per line in and out, and an error for any other input."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from typing import Any

import pytest

from engine.cards import pile_names
from engine.catalog import ruleset
from engine.driver import MAX_LINE_LENGTH, run
from engine.position import position_of
from tests.engine.positions import SEED, VARIANTS, dealt, easy_board, easy_deck, position
from tests.processes import PATIENCE

NEW = {"op": "new", "game": "robert", "seed": SEED.hex()}
DECK = [card.removeprefix("?") for card in position("lady-betty", s="KC")["piles"]["s"]]


def answers_to(*requests: dict[str, Any] | str) -> list[dict[str, Any]]:
    lines = [line if isinstance(line, str) else json.dumps(line) for line in requests]
    return [json.loads(answer) for answer in run(lines)]


def codes(answers: Iterable[dict[str, Any]]) -> list[str | None]:
    """Return the code of each error answer, and `None` for the others."""
    return [answer["error"]["code"] if "error" in answer else None for answer in answers]


def test_games_are_listed_with_their_variants() -> None:
    (answer,) = answers_to({"op": "games"})
    assert list(answer) == ["games"]
    assert {"id": "deuces", "name": "Deuces", "variants": ["standard", "strict", "fill"]} in answer[
        "games"
    ]
    assert {game["id"] for game in answer["games"]} == {game for game, _ in VARIANTS}


@pytest.mark.parametrize(("game", "variant"), VARIANTS)
def test_a_new_game_is_dealt_from_a_seed_or_a_deck(game: str, variant: str) -> None:
    rules = ruleset(game, variant)
    deck = pile_names(easy_deck(rules))
    by_seed, by_deck = answers_to(
        {"op": "new", "game": game, "variant": variant, "seed": SEED.hex()},
        {"op": "new", "game": game, "variant": variant, "deck": deck},
    )
    assert by_seed == position_of(dealt(game, variant))
    assert by_deck == position_of(easy_board(rules))


def test_a_variant_left_out_is_the_standard_one() -> None:
    assert answers_to(NEW | {"game": "deuces"})[0]["variant"] == "standard"


def test_play_continues_from_a_loaded_position() -> None:
    found = position("robert", f0="QS", w="KD")
    loaded, legal, moved, at, more = answers_to(
        {"op": "load", "position": found},
        {"op": "legal"},
        {"op": "move", "move": "w>f0"},
        {"op": "position"},
        {"op": "legal"},
    )
    assert loaded["piles"] == found["piles"]
    assert legal == {"moves": ["s>w", "w>f0"]}
    assert moved["piles"]["f0"] == ["QS", "KD"]
    assert (moved["moves"], moved["won"], moved["stuck"]) == (1, False, False)
    assert at == moved
    assert more == {"moves": ["s>w"]}


def test_a_hint_is_a_move_or_null() -> None:
    load = {"op": "load", "position": position("robert", f0="QS", w="KD")}
    assert answers_to(load, {"op": "hint"})[1] == {"move": "w>f0"}
    won = {"op": "load", "position": position_of(easy_board(ruleset("robert")))}
    moves = [{"op": "move", "move": move} for move in ["s>w", "w>f0"] * 51]
    assert answers_to(won, *moves, {"op": "hint"})[-1] == {"move": None}


def test_legal_moves_are_sorted() -> None:
    answer = answers_to(NEW | {"game": "lady-betty"}, {"op": "legal"})[1]
    assert answer["moves"] == sorted(answer["moves"])


def test_answers_state_whether_a_position_is_won_or_stuck() -> None:
    won = position("lady-betty", f0="KS", f1="KH", f2="KD", f3="QC", t0="KC")
    stuck = position("robert", f0="7S", w="2D", rest="w", redeals=2)
    answers = answers_to(
        {"op": "load", "position": won},
        {"op": "move", "move": "t0>f3"},
        {"op": "load", "position": stuck},
    )
    assert [(a["won"], a["stuck"]) for a in answers] == [
        (False, False),
        (True, False),
        (False, True),
    ]


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"op": "move", "move": "w>f0"}, "illegal_move"),
        ({"op": "move", "move": "t0>f0"}, "bad_move"),
        ({"op": "move", "move": "\ud800"}, "bad_move"),
        ({"op": "move", "move": None}, "bad_request"),
        ({"op": "move", "move": ["s>w"]}, "bad_request"),
        ({"op": "move"}, "bad_request"),
        ({"op": "move", "move": "s>w", "count": 1}, "bad_request"),
        ({"op": "new"}, "bad_request"),
        ({"op": "new", "game": "robert"}, "bad_request"),
        (NEW | {"deck": []}, "bad_request"),
        (NEW | {"variant": None}, "bad_request"),
        (NEW | {"variant": "fill"}, "unknown_variant"),
        (NEW | {"game": "no-such-game"}, "unknown_game"),
        (NEW | {"game": "\ud800"}, "unknown_game"),
        (NEW | {"game": {}}, "bad_request"),
        (NEW | {"seed": "00"}, "bad_seed"),
        (NEW | {"seed": SEED.hex().upper()}, "bad_seed"),
        (NEW | {"seed": 0}, "bad_request"),
        (NEW | {"\ud800": 0}, "bad_request"),
        ({"op": "new", "game": "robert", "deck": "AS"}, "bad_request"),
        ({"op": "new", "game": "robert", "deck": [1]}, "bad_request"),
        ({"op": "new", "game": "robert", "deck": []}, "bad_deck"),
        ({"op": "new", "game": "robert", "deck": DECK[1:]}, "bad_deck"),
        ({"op": "new", "game": "robert", "deck": [*DECK[1:], DECK[1]]}, "bad_deck"),
        ({"op": "new", "game": "robert", "deck": ["?AS", *DECK[1:]]}, "bad_deck"),
        ({"op": "new", "game": "robert", "deck": ["\ud800", *DECK[1:]]}, "bad_card"),
        ({"op": "load"}, "bad_position"),
        ({"op": "load", "position": {}}, "bad_position"),
        ({"op": "load", "position": {"game": "robert", "piles": {"\ud800": []}}}, "bad_position"),
        ({"op": "legal", "all": True}, "bad_request"),
        ({"op": "position", "of": 1}, "bad_request"),
        ({"op": "games", "game": "robert"}, "bad_request"),
        ({"op": "undo"}, "bad_request"),
        ({"op": None}, "bad_request"),
        ({"op": ["games"]}, "bad_request"),
        ({"op": {}}, "bad_request"),
        ({}, "bad_request"),
        ("[]", "bad_request"),
        ("1", "bad_request"),
        ("null", "bad_request"),
        ('"games"', "bad_request"),
        ("{", "bad_request"),
        ("games", "bad_request"),
        ('{"op":"games"} {"op":"games"}', "bad_request"),
        ('{"op":"games",}', "bad_request"),
        ("\ufeff{}", "bad_request"),
        ('{"op":"load","position":NaN}', "bad_request"),
        ('{"op":"load","position":-Infinity}', "bad_request"),
        ('{"op":"load","position":{"game":"robert","moves":1e999}}', "bad_position"),
        ("1" * 5000, "bad_request"),
        ("[" * 60_000, "bad_request"),
        ('{"op":' * 10_000, "bad_request"),
        ('{"op":"load","position":' + "[" * 500 + "]" * 500 + "}", "bad_position"),
        ('{"op":"games"}' + " " * MAX_LINE_LENGTH, "bad_request"),
        ("\ud800", "bad_request"),
        ("\0", "bad_request"),
    ],
)
def test_a_refused_request_leaves_the_position_unchanged(
    request_: dict[str, Any] | str, code: str
) -> None:
    start, refused, at = answers_to(NEW, request_, {"op": "position"})
    assert codes([refused]) == [code]
    assert list(refused) == ["error"]
    assert list(refused["error"]) == ["code", "message"]
    assert isinstance(refused["error"]["message"], str)
    assert at == start


@pytest.mark.parametrize(
    "request_", [{"op": "position"}, {"op": "legal"}, {"op": "move", "move": "s>w"}]
)
def test_requests_without_a_position_are_refused(request_: dict[str, Any]) -> None:
    assert codes(answers_to(request_)) == ["bad_request"]


def test_a_blank_line_is_ignored() -> None:
    assert codes(answers_to("", "  \n", " \t\r\n", {"op": "games"})) == [None]


@pytest.mark.parametrize("line", ["\x1c", "\u3000\n", "\ufeff"])
def test_a_line_of_non_json_whitespace_is_refused(line: str) -> None:
    assert codes(answers_to(line)) == ["bad_request"]


def test_a_line_of_the_maximum_length_is_read() -> None:
    line = '{"op":"games"}'
    assert codes(answers_to(line.ljust(MAX_LINE_LENGTH))) == [None]
    assert codes(answers_to(line.ljust(MAX_LINE_LENGTH) + "\n")) == [None]
    assert codes(answers_to(line.ljust(MAX_LINE_LENGTH + 1) + "\n")) == ["bad_request"]


@pytest.mark.parametrize(
    ("written", "count"), [("1.0", 1), ("1e2", 100), ("-0", 0), ("0.0", 0), ("1000000", 1_000_000)]
)
def test_a_whole_number_is_read_in_every_notation_of_json(written: str, count: int) -> None:
    found = json.dumps(position("robert", f0="QS", w="KD") | {"moves": "?"}).replace('"?"', written)
    (answer,) = answers_to(f'{{"op":"load","position":{found}}}')
    assert repr(answer["moves"]) == repr(count)


@pytest.mark.parametrize("written", ["1.5", "-1", "1000001", "1e999", "-1e999", "1" * 5000, "true"])
def test_a_bad_count_is_refused(written: str) -> None:
    found = json.dumps(position("robert", f0="QS", w="KD") | {"moves": "?"}).replace('"?"', written)
    assert codes(answers_to(f'{{"op":"load","position":{found}}}')) == ["bad_position"]


def run_engine(*arguments: str, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # noqa: S603
        [sys.executable, "-m", "engine", *arguments],
        input=text,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )


def test_the_process_answers_line_by_line() -> None:
    text = json.dumps(NEW).encode() + b'\n{"op":"\xff\xed\xa0\x80"}\nnonsense\n\n{"op":"legal"}'
    done = run_engine(text=text)
    assert (done.returncode, done.stderr) == (0, b"")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert codes(answers) == [None, "bad_request", "bad_request", None]
    assert answers[-1] == {"moves": ["s>w"]}


def test_the_process_prints_the_rules() -> None:
    done = run_engine("rules")
    assert done.returncode == 0
    assert {game["id"] for game in json.loads(done.stdout)["games"]} == {g for g, _ in VARIANTS}


def test_the_process_refuses_other_arguments() -> None:
    done = run_engine("games")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"usage" in done.stderr
