"""Random input, almost valid or arbitrary: it is read, or refused with an error."""

from __future__ import annotations

import json
import tomllib
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass
from datetime import timedelta
from importlib.resources import files
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.catalog import load_game, ruleset
from engine.driver import MAX_LINE_LENGTH
from engine.errors import RulesetError
from engine.moves import legal_moves
from engine.notation import move_text
from engine.play import play
from engine.position import position_of
from engine.ruleset import Ruleset
from engine.schema import Rules, read_game, read_rules
from tests.engine.positions import SEED, VARIANTS, dealt
from tests.engine.reading import read_file, read_move, read_position, send_lines, try_play
from tests.sizes import cases

fuzzed = settings(
    max_examples=cases(20, 100),
    deadline=timedelta(seconds=5),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
"""The long deadline finds input that hangs, not input that is slow."""

FILES = {
    entry.name: entry.read_text(encoding="utf-8")
    for entry in (files("engine") / "games").iterdir()
    if entry.name.endswith(".toml")
}
TEXT = st.text(st.characters(exclude_categories=[]), max_size=60)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 120)
    | st.integers(-(10**30), 10**30)
    | st.floats()
    | TEXT
    | st.sampled_from(["any", "up", "run", "K", "A", "SHDC", "waste", "stock", "row", "tableau"])
    | st.sampled_from(["AS", "?KC", "??", "t0", "f0", "s>w", "s>t", "load", "new", "standard"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=8,
)


@st.composite
def changed(draw: st.DrawFn, value: Any) -> Any:
    """Draw a value that differs from this one in one place, at any depth."""
    deeper = draw(st.integers(0, 9)) > 0
    if isinstance(value, dict) and value and deeper:
        key = draw(st.sampled_from(sorted(value)))
        rest = {name: inner for name, inner in value.items() if name != key}
        how = draw(st.sampled_from(["drop", "rename", "change", "change", "change"]))
        if how == "drop":
            return rest
        if how == "rename":
            return rest | {draw(TEXT | st.sampled_from(sorted(value))): value[key]}
        return value | {key: draw(changed(value[key]))}
    if isinstance(value, list) and value and deeper:
        at = draw(st.integers(0, len(value) - 1))
        other = draw(st.integers(0, len(value) - 1))
        copy = list(value)
        how = draw(st.sampled_from(["drop", "repeat", "exchange", "change", "change"]))
        if how == "drop":
            del copy[at]
        elif how == "repeat":
            copy.insert(at, copy[other])
        elif how == "exchange":
            copy[at], copy[other] = copy[other], copy[at]
        else:
            copy[at] = draw(changed(copy[at]))
        return copy
    if isinstance(value, str) and deeper:
        return draw(scrambled(value))
    return draw(VALUES)


@st.composite
def scrambled(draw: st.DrawFn, text: str) -> str:
    """Draw the text with up to three cuts and insertions."""
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 1, 1, 2, 8])))
        text = text[:start] + draw(TEXT | st.sampled_from(list('{}[]"=.,#\n0x1_'))) + text[end:]
    return text


@st.composite
def changed_often(draw: st.DrawFn, value: Any) -> Any:
    """Draw a value that differs from this one in one to three places."""
    for _ in range(draw(st.integers(1, 3))):
        value = draw(changed(value))
    return value


@st.composite
def positions(draw: st.DrawFn) -> dict[str, Any]:
    board = dealt(*draw(st.sampled_from(VARIANTS)))
    for _ in range(draw(st.integers(0, 30))):
        choices = list(legal_moves(board))
        if not choices:
            break
        board, _ = play(board, draw(st.sampled_from(choices)))
    return position_of(board)


def toml(value: Any) -> str:
    """Format a value as inline TOML, or as JSON if TOML has no such value."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return repr(value) if isinstance(value, float) else json.dumps(value)


DOCUMENTS: dict[str, Any] = {name: tomllib.loads(text) for name, text in FILES.items()}


@fuzzed
@given(st.sampled_from(sorted(DOCUMENTS)).flatmap(lambda name: changed_often(DOCUMENTS[name])))
def test_rules_with_a_few_changes_are_read_or_refused(found: Any) -> None:
    if isinstance(found, dict):
        read_file("\n".join(f"{json.dumps(key)} = {toml(found[key])}" for key in found))
        with suppress(RulesetError):
            read_game("g", found)


def values_of(kind: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for values of a type in the schema."""
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return st.one_of([values_of(arg) for arg in args if arg is not type(None)])
    if origin is Literal:
        return st.sampled_from(args)
    if origin is tuple:
        words = get_origin(args[0]) is Literal
        return st.lists(
            values_of(args[0]), min_size=1, max_size=4, unique_by=str if words else None
        )
    if kind is str:
        return st.sampled_from(["SHDC", "SH", "C", "HSDC"])
    if not is_dataclass(kind):
        return st.booleans() if kind is bool else st.sampled_from([1, 2, 1, 2, 1, 4, 0])
    hints = get_type_hints(kind)
    needed = {field.name: values_of(hints[field.name]) for field in fields(kind)}
    left_out = [field.name for field in fields(kind) if field.default is not MISSING]
    optional = {name: needed.pop(name) for name in left_out}
    return st.fixed_dictionaries(needed, optional=optional)


def without_contradictions(found: dict[str, Any]) -> dict[str, Any]:
    """Remove the contradictions that nearly all generated rules have."""
    stock = found.setdefault("stock", {})
    lacking = {"waste"} if "tableau" in found else {"waste", "row", "tableau"}
    stock["plays"] = [place for place in stock.get("plays", ()) if place not in lacking]
    if not stock["plays"] or stock.get("turns", 1) > 1:
        found.setdefault("waste", {"plays": ["foundation"]})
    if "waste" in found:
        stock["plays"].append("waste")
    if {"tableau", "foundation"} & set(stock["plays"]):
        stock["top"] = "up"
    if stock["plays"] != ["waste"]:
        stock.pop("turns", None)
    if "row" not in stock["plays"]:
        stock.pop("row_on_empty", None)
    for part in ("tableau", "waste", "reserve", "cells"):
        if part in found:
            places = {"foundation", "tableau"} if "tableau" in found else {"foundation"}
            places |= {"cell"} if "cells" in found else set()
            found[part]["plays"] = [place for place in found[part]["plays"] if place in places]
    if found.get("tableau", {}).get("match") != "any":
        found.get("tableau", {}).pop("run_match", None)
    for group in found["foundations"]:
        for key in ("last", "automatic") if group.get("takes") != "run" else ("last", "plays"):
            group.pop(key, None)
    return found | {"packs": found["packs"] % 2 + 1}


@settings(fuzzed, max_examples=cases(30, 150))
@given(values_of(Rules).map(without_contradictions))
def test_generated_rules_can_be_played_or_are_refused(found: dict[str, Any]) -> None:
    with suppress(RulesetError):
        try_play(Ruleset("g", "standard", read_rules("g", found)))


@fuzzed
@given(TEXT | st.sampled_from(sorted(FILES)).flatmap(lambda name: scrambled(FILES[name])))
def test_a_file_with_typing_errors_is_read_or_refused(text: str) -> None:
    read_file(text)


@pytest.mark.parametrize("name", FILES)
def test_the_unchanged_files_are_read(name: str) -> None:
    assert read_file(FILES[name])
    assert read_file("\n".join(f"{key} = {toml(found)}" for key, found in DOCUMENTS[name].items()))


@fuzzed
@given(st.sampled_from(VARIANTS), TEXT | st.from_regex(r"[a-z]\d{0,3}>[a-z]\d{0,3}(x\d{1,3})?\n?"))
def test_any_text_is_read_as_a_move_or_refused(variant: tuple[str, str], text: str) -> None:
    read_move(ruleset(*variant), text)


@fuzzed
@given(st.data(), positions())
def test_a_position_with_a_few_changes_is_read_or_refused(
    data: st.DataObject, position: dict[str, Any]
) -> None:
    assert read_position(position) is not None
    read_position(data.draw(changed_often(position)))


@fuzzed
@given(VALUES)
def test_a_value_that_is_no_position_is_refused(value: Any) -> None:
    assert read_position(value) is None


@st.composite
def driver_lines(draw: st.DrawFn) -> list[str]:
    """Draw lines for the driver: valid requests, requests with changes, and random text."""
    position = draw(positions())
    rules = ruleset(position["game"], position["variant"])
    cards = [card.strip("?") for pile in position["piles"].values() for card in pile]
    names = {"game": position["game"], "variant": position["variant"]}
    moves = [move_text(rules, move) for move in legal_moves(dealt(**names))]
    requests: list[dict[str, Any]] = [
        {"op": "games"},
        {"op": "legal"},
        {"op": "position"},
        {"op": "new", **names, "seed": SEED.hex()},
        {"op": "new", **names, "deck": cards},
        {"op": "load", "position": position},
        *({"op": "move", "move": move} for move in moves[:3]),
    ]
    valid = st.sampled_from(requests)
    line = (
        valid.map(json.dumps)
        | valid.flatmap(changed_often).map(json.dumps)
        | valid.map(json.dumps).flatmap(scrambled)
        | TEXT
    )
    return draw(st.lists(line, min_size=1, max_size=8))


@fuzzed
@given(driver_lines())
def test_every_line_to_the_driver_is_answered(lines: list[str]) -> None:
    assert len(send_lines(lines)) == len(lines)


@pytest.mark.parametrize(
    "line",
    [
        "[" * MAX_LINE_LENGTH,
        '{"":' * (MAX_LINE_LENGTH // 4),
        "9" * MAX_LINE_LENGTH,
        '{"op":"load","position":{"game":"robert","piles":{"w":["' + "A" * 65_000 + '"]}}}',
        '{"op":"load","position":{"game":"robert","piles":{"w":[' + '"AS",' * 13_000 + '"AS"]}}}',
    ],
    ids=["lists", "objects", "digits", "a card", "cards"],
)
def test_a_huge_line_is_answered(line: str) -> None:
    (answer,) = send_lines([line[:MAX_LINE_LENGTH]])
    assert "error" in answer


ROBERT = FILES["robert.toml"]


@pytest.mark.parametrize(
    "text",
    [
        ROBERT.replace("packs = 1", "packs = " + "9" * 5000),
        ROBERT.replace("packs = 1", "packs = 0x" + "f" * 5000),
        ROBERT.replace("redeals = 2", "redeals = 0x" + "f" * 5000),
        FILES["roosevelt.toml"].replace("deal = [", "deal = [0x" + "f" * 5000 + ", "),
        ROBERT.replace('name = "Robert"', "name." + "a." * 3000 + "a = 1"),
        ROBERT.replace("packs = 1", "packs = 1\n" + "a." * 3000 + "a = 1"),
        ROBERT.replace("packs = 1", "packs = '" + "x" * 5000 + "'"),
        ROBERT.replace("packs = 1", "packs = 1\n" + "a" * 5000 + " = 1"),
        ROBERT.replace("packs = 1", ("packs." + "a" * 5000 + " = 1\n") * 2),
        ROBERT.replace("packs = 1", "packs = 1979-13-45"),
    ],
    ids=[
        *("decimal", "hexadecimal", "redeals", "dealt", "deep value", "deep key"),
        *("long value", "long key", "long key twice", "no date"),
    ],
)
def test_a_file_with_a_huge_or_deep_value_is_refused(text: str) -> None:
    assert text not in FILES.values()
    assert not read_file(text)


def test_a_refusal_names_the_value_if_it_is_short() -> None:
    with pytest.raises(RulesetError, match=r"g\.packs: 'two' is not of the type int"):
        load_game("g", FILES["robert.toml"].replace("packs = 1", 'packs = "two"'))
