"""The rules of each game, sentence by sentence: the files in `rules` have examples of each.

A file is named for a game. A line without indent states a rule, mostly in the words of the rule
page or a ruling; the lines below it are examples: piles, a question, and the answer. A question may
start with moves to play first and a colon. It asks for the moves from a pile (`t0>`), to a pile
(`>t0`) or all moves (`*`), for the cards of a pile (`t0`) or its top card (`^t0`), or whether the
player is `stuck`. `NAME := PILES` names piles that several examples have; `KS~H13` is the run of 13
cards down from KS with every second one in hearts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.board import Board
from engine.moves import is_stuck
from tests.engine.positions import after, board, legal, moves_of, moves_to, run_down, shown

FOLDER = Path(__file__).with_name("rules")

_RUN = re.compile(r"(\w\w)~(\w)(\d+)")


def examples() -> Iterator[Any]:
    for path in sorted(FOLDER.glob("*.txt")):
        named: dict[str, dict[str, str]] = {}
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if ":=" in line:
                name, text = line.split(" := ")
                named[name] = piles_in(text, named)
            elif line.startswith(" "):
                text, asked, answer = map(str.strip, line.split("|"))
                given = {"game": path.stem} | piles_in(text, named)
                yield pytest.param(given, asked, answer, id=f"{path.stem}:{number}")


def piles_in(text: str, named: dict[str, dict[str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in text.split():
        name, equals, cards = word.partition("=")
        cards = _RUN.sub(lambda run: run_down(run[1], run[2], int(run[3])), cards.replace(",", " "))
        found |= {name: cards} if equals else named[name]
    return found


def answer_to(asked: str, place: Board) -> list[str]:
    moves, _, question = asked.rpartition(":")
    place, question = after(place, *moves.split()), question.strip()
    if question == "stuck":
        return ["yes" if is_stuck(place) else "no"]
    if question == "*":
        return legal(place)
    if question.endswith(">"):
        return moves_of(place, question[:-1])
    if question.startswith(">"):
        return moves_to(place, question[1:])
    cards = shown(place, question.removeprefix("^")).split()
    return cards[-1:] if question.startswith("^") else cards


@pytest.mark.parametrize(("given", "asked", "answer"), [*examples()])
def test_an_example_of_a_rule(given: dict[str, Any], asked: str, answer: str) -> None:
    for variant in given.get("variant", "standard").split():
        place = board(**given | {"variant": variant, "redeals": int(given.get("redeals", 0))})
        assert answer_to(asked, place) == ([] if answer == "-" else answer.split()), variant
