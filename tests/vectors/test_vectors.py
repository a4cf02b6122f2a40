"""The engine still gives the golden files' deals and replays."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.cards import parse_pile
from engine.catalog import ruleset
from engine.deal import deal_seed, lay_out, parse_seed
from engine.hints import hint
from engine.moves import legal_moves
from engine.notation import parse_move
from engine.position import parse_position, position_of
from tests.engine.perft import COMMAND
from tests.engine.positions import after
from tests.vectors import changes
from tests.vectors.generate import (
    CUSTOM_FILES,
    FILES,
    FOLDER,
    SEARCH_FILES,
    SOLVER_FILES,
    format_entries,
    run,
    variants,
)


def entries(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    return found


def label(entry: dict[str, Any]) -> str:
    return f"{entry['game']}-{entry['variant']}-{entry.get('seed', 'deck')[:4]}"


@pytest.mark.parametrize("name", FILES | CUSTOM_FILES | SEARCH_FILES)
def test_generating_a_file_again_gives_the_same_bytes(name: str) -> None:
    entries_of = (FILES | CUSTOM_FILES | SEARCH_FILES)[name]
    same = (FOLDER / name).read_bytes() == format_entries(entries_of()).encode()
    assert same, f"tests/vectors/{name} is not the output of {COMMAND}"


@pytest.mark.parametrize("name", SOLVER_FILES)
@pytest.mark.deep
def test_solving_the_positions_of_a_file_again_gives_the_same_bytes(name: str) -> None:
    same = (FOLDER / "solver" / name).read_bytes() == format_entries(SOLVER_FILES[name]()).encode()
    assert same, f"tests/vectors/solver/{name} is not the output of {COMMAND}"


def test_generating_the_run_again_gives_the_same_bytes() -> None:
    assert (FOLDER / "run.json").read_text(encoding="utf-8") == run()


@pytest.mark.parametrize("name", FILES)
def test_every_variant_has_at_least_four_entries(name: str) -> None:
    found = [(entry["game"], entry["variant"]) for entry in entries(name)]
    missing = [variant for variant in variants() if found.count(variant) < 4]
    assert not missing, f"{COMMAND} writes the entries of {missing}"


@pytest.mark.parametrize("entry", entries("deals.json"), ids=label)
def test_a_seed_gives_its_deal(entry: dict[str, Any]) -> None:
    rules = ruleset(entry["game"], entry["variant"])
    board = deal_seed(rules, parse_seed(entry["seed"]))
    assert lay_out(rules, parse_pile(entry["deck"])) == board
    assert position_of(board) == entry["position"]
    assert parse_position(entry["position"]) == board


@pytest.mark.parametrize("entry", entries("replays.json"), ids=label)
def test_a_replay_leads_to_its_position(entry: dict[str, Any]) -> None:
    rules = ruleset(entry["game"], entry["variant"])
    if "seed" in entry:
        board = deal_seed(rules, parse_seed(entry["seed"]))
    else:
        board = lay_out(rules, parse_pile(entry["deck"]))
    for move, choices in zip(entry["moves"], entry["choices"], strict=True):
        assert len(legal_moves(board)) == choices
        board = after(board, move)
    assert position_of(board) == entry["position"]


@pytest.mark.parametrize("entry", entries("hints.json"), ids=label)
def test_hints_lead_to_their_position(entry: dict[str, Any]) -> None:
    board = deal_seed(ruleset(entry["game"], entry["variant"]), parse_seed(entry["seed"]))
    for move in entry["moves"]:
        assert hint(board) == parse_move(board.ruleset, move)
        board = after(board, move)
    assert hint(board) is None
    assert position_of(board) == entry["position"]


def test_the_replays_cover_wins_a_stuck_board_and_all_kinds_of_moves() -> None:
    games = entries("replays.json")
    moves = {move for entry in games for move in entry["moves"]}
    won = {entry["game"] for entry in games if entry["position"]["won"]}
    assert won >= {"deuces", "lady-betty", "robert", "roosevelt"}
    assert any(entry["position"]["stuck"] for entry in games)
    assert {"s>w", "w>s", "s>t", "t8>f6x13"} <= moves


@pytest.mark.deep
def test_changing_rules_again_gives_the_same_bytes() -> None:
    same = changes.FILE.read_text(encoding="utf-8") == changes.text()
    assert same, f"tests/vectors/changes.json is not the output of {COMMAND}"
