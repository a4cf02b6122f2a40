"""The games that are known, and their files."""

from __future__ import annotations

import json

import pytest

from engine.catalog import exported, games, load_game, ruleset
from engine.errors import RulesetError, UnknownGameError, UnknownVariantError


@pytest.mark.parametrize("text", ["name = ", "a" * 9, "x = " + "[" * 100_000, '"\0" = 1'])
def test_a_file_that_is_not_toml_is_refused(text: str) -> None:
    with pytest.raises(RulesetError, match="g: is not TOML"):
        load_game("g", text)


@pytest.mark.parametrize(
    ("game", "name", "variants"),
    [
        ("deuces", "Deuces", ["standard", "strict", "fill"]),
        ("lady-betty", "Lady Betty", ["standard"]),
        ("robert", "Robert", ["standard"]),
        ("roosevelt", "Roosevelt", ["standard"]),
        ("rouge-et-noir", "Rouge et Noir", ["standard"]),
    ],
)
def test_a_published_game_keeps_its_ids(game: str, name: str, variants: list[str]) -> None:
    """Journals and leaderboards name them. Games and variants may be added."""
    assert games()[game].name == name
    assert list(games()[game].variants)[: len(variants)] == variants


def test_the_games_are_sorted_by_name() -> None:
    names = [game.name for game in games().values()]
    assert names == sorted(names)


def test_a_ruleset_is_one_object() -> None:
    assert ruleset("deuces", "fill") is ruleset("deuces", "fill")
    assert ruleset("deuces") is ruleset("deuces", "standard")


@pytest.mark.parametrize("game", ["", "Deuces", "../deuces", "\ud800"])
def test_an_unknown_game_is_refused(game: str) -> None:
    with pytest.raises(UnknownGameError):
        ruleset(game)


@pytest.mark.parametrize("variant", ["", "Strict", "fast"])
def test_an_unknown_variant_is_refused(variant: str) -> None:
    with pytest.raises(UnknownVariantError):
        ruleset("deuces", variant)


def test_the_resolved_rules_are_json_values() -> None:
    """They are what other implementations read, so that a variant needs no merging there."""
    found = json.loads(json.dumps(exported()))["games"]
    assert [game["id"] for game in found] == list(games())
    variants = {(g["id"], v["id"]): v["rules"] for g in found for v in g["variants"]}
    assert variants["deuces", "fill"]["tableau"]["fill"] == ["waste", "stock"]
    assert variants["deuces", "standard"]["tableau"]["fill"] == []
    assert variants["robert", "standard"]["tableau"] is None
    assert variants["robert", "standard"]["waste"]["redeals"] == 2
