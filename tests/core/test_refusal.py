"""Refusals: one list of codes in the code, and the same one in the protocol."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from engine.errors import EngineError
from server.core.refusal import SENTENCES, Refusal, UnreadableError

ROOT = Path(__file__).parents[2]
ENGINE_CODES = {"bad_move", "illegal_move", "unknown_game", "unknown_variant"}
"""What the engine refuses of what a client can say: moves and games."""


def raised_codes() -> set[str]:
    """Return every code that is named where a refusal is made, or told of, in the server."""
    return {
        node.args[0].value
        for path in (ROOT / "server").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Refusal")
        if node.args and isinstance(node.args[0], ast.Constant)
        if isinstance(node.args[0].value, str)
    }


def words_of_the_server() -> set[str]:
    """Return every text that stands in the server's code, but for the list of the codes itself."""
    return {
        node.value
        for path in (ROOT / "server").rglob("*.py")
        if path.name != "refusal.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def table_codes() -> list[str]:
    """Return the codes of the protocol's table of refusals, in its order."""
    text = (ROOT / "server" / "PROTOCOL.md").read_text(encoding="utf-8")
    table = re.search(r"^\| code \| when \|\n\|.*\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert table is not None
    return [
        code
        for row in table[1].splitlines()
        for code in re.findall(r"`(\w+)`", row.split("|")[1])
    ]  # fmt: skip


def test_every_code_that_is_raised_has_a_sentence() -> None:
    assert raised_codes()
    assert raised_codes() <= SENTENCES.keys()


def test_every_code_is_in_use() -> None:
    assert SENTENCES.keys() - ENGINE_CODES <= words_of_the_server()


def test_the_protocol_lists_the_same_codes_in_the_same_order() -> None:
    assert table_codes() == list(SENTENCES)


def test_the_engines_refusals_of_clients_have_sentences() -> None:
    codes = {error.code for error in EngineError.__subclasses__()}
    assert codes >= ENGINE_CODES
    assert SENTENCES.keys() >= ENGINE_CODES


@pytest.mark.parametrize("code", SENTENCES)
def test_a_refusal_says_its_sentence_unless_there_is_more_to_say(code: str) -> None:
    assert Refusal(code).text == SENTENCES[code]
    assert re.fullmatch(r"[A-Z].*\.", SENTENCES[code])
    assert Refusal(code, "More.").text == "More."


def test_a_refusal_says_how_long_to_wait_if_there_is_a_need_to() -> None:
    assert Refusal("too_fast").wait == 0
    assert Refusal("too_fast", wait=250).wait == 250


def test_what_cannot_be_read_has_a_code() -> None:
    error = UnreadableError("unknown_format")
    assert (error.code, str(error)) == ("unknown_format", "unknown_format")


def test_a_code_without_a_sentence_is_none() -> None:
    with pytest.raises(KeyError):
        Refusal("no_such_code")
