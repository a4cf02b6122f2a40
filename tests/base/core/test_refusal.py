"""Refusals: the source and the protocol have the same codes."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.errors import EngineError, UnknownGameError
from server.base.core.refusal import (
    BaseRefusals,
    HttpRefusals,
    Refusal,
    RefusalCode,
    UnreadableError,
)
from server.protocol import REFUSALS

ROOT = Path(__file__).parents[3]
ALL = (*REFUSALS, *HttpRefusals)

ENGINE_CODES = {
    *(BaseRefusals.bad_move, BaseRefusals.illegal_move, BaseRefusals.unknown_game),
    *(BaseRefusals.unknown_variant, BaseRefusals.bad_ruleset, BaseRefusals.bad_deck),
    BaseRefusals.bad_seed,
}
"""Engine codes that a client can cause, by a move or by the terms of a round."""


def named_codes() -> set[str]:
    """Return every attribute in the server's source, as `ClassName.attribute`."""
    return {
        ast.unparse(node)
        for path in (ROOT / "server").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
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


def test_codes_are_unique() -> None:
    assert len({code.name for code in ALL}) == len(ALL)


def test_every_code_is_in_use() -> None:
    assert {str(code) for code in {*ALL} - ENGINE_CODES} <= named_codes()


def test_the_protocol_lists_the_same_codes_in_the_same_order() -> None:
    assert table_codes() == [code.name for code in REFUSALS]


def refusals_in(texts: dict[str, Any]) -> Iterator[str]:
    """Yield the codes that have a text in the page's messages."""
    for name, inner in texts.items():
        if isinstance(inner, dict):
            yield from inner if name == "refusals" else refusals_in(inner)


def test_the_page_has_texts_of_declared_codes_only() -> None:
    path = ROOT / "client_js" / "web" / "src" / "text" / "messages" / "en.json"
    found = {*refusals_in(json.loads(path.read_text(encoding="utf-8")))}
    assert found - {"not_loaded"} <= {code.name for code in REFUSALS}
    assert found > {"not_loaded"}


def test_the_engine_codes_that_a_client_can_cause_are_declared() -> None:
    codes = {error.code for error in EngineError.__subclasses__()}
    assert codes >= {code.name for code in ENGINE_CODES}


@pytest.mark.parametrize("code", ALL)
def test_a_refusal_has_the_sentence_of_its_code_unless_another_is_given(code: RefusalCode) -> None:
    assert Refusal(code).text == code.value
    assert re.fullmatch(r"[A-Z].*\.", code.value)
    assert Refusal(code, "More.").text == "More."


def test_a_refusal_says_how_long_to_wait_if_necessary() -> None:
    assert Refusal(BaseRefusals.too_fast).wait == 0
    assert Refusal(BaseRefusals.too_fast, wait=250).wait == 250


def test_unreadable_data_has_a_code() -> None:
    error = UnreadableError(BaseRefusals.unknown_format)
    assert (error.code, str(error)) == (BaseRefusals.unknown_format, "unknown_format")


def test_an_engine_error_keeps_its_code_and_message() -> None:
    refusal = Refusal.of(UnknownGameError("There is no game x."))
    assert (refusal.code, refusal.text) == (BaseRefusals.unknown_game, "There is no game x.")
