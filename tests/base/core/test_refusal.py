"""Refusals: the source and the protocol have the same codes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import EngineError
from server.base.core.refusal import HTTP_SENTENCES, SENTENCES, Refusal, UnreadableError

ROOT = Path(__file__).parents[3]
ENGINE_CODES = {
    *("bad_move", "illegal_move", "unknown_game", "unknown_variant"),
    *("bad_ruleset", "bad_deck", "bad_seed"),
}
"""Engine codes that a client can cause, by a move or by the terms of a round."""


CLIENT = ROOT / "server" / "client"
"""The client library, which has its own codes."""


def server_nodes() -> Iterator[ast.AST]:
    """Yield the syntax of the server, except that of `refusal.py`."""
    for path in (ROOT / "server").rglob("*.py"):
        if path.name != "refusal.py" and not path.is_relative_to(CLIENT):
            yield from ast.walk(ast.parse(path.read_text(encoding="utf-8")))


def raised_codes() -> set[str]:
    """Return every code passed to a class named `…Refusal` in the server."""
    return {
        node.args[0].value
        for node in server_nodes()
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Refusal")
        if node.args and isinstance(node.args[0], ast.Constant)
        if isinstance(node.args[0].value, str)
    }


def table_codes() -> list[str]:
    """Return the codes of the protocol's table of refusals, in order."""
    text = (ROOT / "server" / "PROTOCOL.md").read_text(encoding="utf-8")
    table = re.search(r"^\| code \| when \|\n\|.*\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert table is not None
    return [
        code
        for row in table[1].splitlines()
        for code in re.findall(r"`(\w+)`", row.split("|")[1])
    ]  # fmt: skip


def test_every_raised_code_has_a_sentence() -> None:
    assert raised_codes()
    assert raised_codes() <= SENTENCES.keys() | HTTP_SENTENCES.keys()
    assert not SENTENCES.keys() & HTTP_SENTENCES.keys()


def test_every_code_is_in_use() -> None:
    used = {node.value for node in server_nodes() if isinstance(node, ast.Constant)}
    assert SENTENCES.keys() - ENGINE_CODES <= used


def test_the_protocol_lists_the_same_codes_in_the_same_order() -> None:
    assert table_codes() == list(SENTENCES)


def test_the_engine_codes_that_a_client_can_cause_have_sentences() -> None:
    codes = {error.code for error in EngineError.__subclasses__()}
    assert codes >= ENGINE_CODES
    assert SENTENCES.keys() >= ENGINE_CODES


@pytest.mark.parametrize("code", SENTENCES)
def test_a_refusal_has_the_sentence_of_its_code_unless_another_is_given(code: str) -> None:
    assert Refusal(code).text == SENTENCES[code]
    assert re.fullmatch(r"[A-Z].*\.", SENTENCES[code])
    assert Refusal(code, "More.").text == "More."


def test_a_refusal_says_how_long_to_wait_if_necessary() -> None:
    assert Refusal("too_fast").wait == 0
    assert Refusal("too_fast", wait=250).wait == 250


def test_unreadable_data_has_a_code() -> None:
    error = UnreadableError("unknown_format")
    assert (error.code, str(error)) == ("unknown_format", "unknown_format")


def test_a_refusal_with_an_unknown_code_raises_key_error() -> None:
    with pytest.raises(KeyError):
        Refusal("no_such_code")
