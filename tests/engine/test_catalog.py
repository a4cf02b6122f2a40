"""The catalogue: games, their files, and the digests of their rules."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

from engine.catalog import (
    Catalog,
    exported,
    games,
    load_catalog,
    load_game,
    ruleset,
    stored_ruleset,
)
from engine.errors import RulesetError, UnknownGameError, UnknownRulesError, UnknownVariantError
from engine.schema import Game


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
    """Journals and leaderboards contain the ids. Games and variants may be added."""
    assert games()[game].name == name
    assert list(games()[game].variants)[: len(variants)] == variants


def test_games_are_ordered_by_listing_and_then_by_name() -> None:
    places = [(game.listing.order, game.name) for game in games().values()]
    assert places == sorted(places)
    twos = changed(DEUCES, name='"Twos"')
    found = Catalog([twos, load_game("robert", ROBERT)])
    assert list(found.games) == ["deuces", "robert"]
    listed_alike = DEUCES.replace("order = 100", "order = 120")
    found = Catalog([changed(listed_alike, name='"Twos"'), load_game("robert", ROBERT)])
    assert list(found.games) == ["robert", "deuces"]


def test_a_ruleset_is_created_once() -> None:
    assert ruleset("deuces", "fill") is ruleset("deuces", "fill")
    assert ruleset("deuces") is ruleset("deuces", "standard")


@pytest.mark.parametrize("game", ["", "Deuces", "../deuces", "\ud800"])
def test_an_unknown_game_is_refused(game: str) -> None:
    with pytest.raises(UnknownGameError):
        ruleset(game)


@pytest.mark.parametrize("variant", ["", "Strict", "fast"])
def test_an_unknown_variant_is_refused(variant: str) -> None:
    with pytest.raises(UnknownVariantError, match="known are standard, strict, fill"):
        ruleset("deuces", variant)


def test_the_resolved_rules_are_json_values() -> None:
    """Other implementations read them, so variants are already merged."""
    found = json.loads(json.dumps(exported()))["games"]
    assert [game["id"] for game in found] == list(games())
    variants = {(g["id"], v["id"]): v["rules"] for g in found for v in g["variants"]}
    assert variants["deuces", "fill"]["tableau"]["fill"] == ["waste", "stock"]
    assert variants["deuces", "standard"]["tableau"]["fill"] == []
    assert variants["robert", "standard"]["tableau"] is None
    assert variants["robert", "standard"]["waste"]["redeals"] == 2
    robert = found[[game["id"] for game in found].index("robert")]
    assert robert["name"] == "Robert"
    assert robert["listing"] == {
        "daily": "standard",
        "crown": "rarities",
        "order": 120,
        "minutes": 2,
        "race": "standard",
        "headway": "none",
        "limit": 5,
    }
    digest = ruleset("robert").digest
    assert [(v["name"], v["digest"]) for v in robert["variants"]] == [("Standard", digest)]


DEUCES, ROBERT = (
    (files("engine") / "games" / f"{game}.toml").read_text(encoding="utf-8")
    for game in ("deuces", "robert")
)


def changed(text: str, **values: str) -> Game:
    for key, value in values.items():
        text, count = re.subn(rf"(?m)^{key} = .*$", f"{key} = {value}", text)
        assert count >= 1
    return load_game("deuces", text)


def test_a_digest_never_changes() -> None:
    """Stored attempts name their rules by digest, so it must never change for the same rules."""
    assert ruleset("deuces", "fill").digest == "689bb45bfb66f3a2"


def test_each_ruleset_has_a_unique_digest() -> None:
    digests = [ruleset(game.id, each).digest for game in games().values() for each in game.variants]
    assert len(set(digests)) == len(digests)
    assert all(re.fullmatch("[0-9a-f]{16}", digest) for digest in digests)


def test_a_digest_depends_only_on_keys_that_affect_play() -> None:
    own = Catalog([load_game("deuces", DEUCES)]).ruleset("deuces").digest
    renamed = Catalog([changed(DEUCES, name='"Twos"')]).ruleset("deuces")
    assert renamed.digest == own
    offered = Catalog([changed(DEUCES, crown='"classics"', minutes="99")]).ruleset("deuces")
    assert offered.digest == own
    assert Catalog([changed(DEUCES, redeals="1")]).ruleset("deuces").digest != own
    assert Catalog([load_game("twos", DEUCES)]).ruleset("twos").digest != own
    # A key set to its default does not affect the digest, so keys can be added to the schema.
    without_default = DEUCES.replace("redeals = 0 ", "# ")
    assert without_default != DEUCES
    assert Catalog([load_game("deuces", without_default)]).ruleset("deuces").digest == own


def test_unlisted_rules_are_found_only_by_their_digest() -> None:
    old, new = load_game("deuces", DEUCES), changed(DEUCES, redeals="2")
    before, digest = Catalog([old]), Catalog([old]).ruleset("deuces").digest
    now = Catalog([new], [old])
    assert now.ruleset("deuces").redeals == 2
    assert now.stored_ruleset("deuces", "standard", digest).redeals == 0
    assert now.unlisted == sorted(before.ruleset("deuces", each).digest for each in old.variants)
    assert now.stored_ruleset("deuces", "standard", now.ruleset("deuces").digest).redeals == 2
    exported_old = {each["digest"]: each for each in now.exported()["unlisted"]}
    assert exported_old.keys() == set(now.unlisted)
    assert (exported_old[digest]["game"], exported_old[digest]["variant"]) == ("deuces", "standard")
    assert exported_old[digest]["rules"]["waste"]["redeals"] == 0


@pytest.mark.parametrize(
    ("game", "variant", "digest"),
    [
        ("deuces", "standard", "0" * 16),
        ("deuces", "fill", "64ebc8d3bb51c3ce"),
        ("robert", "standard", "64ebc8d3bb51c3ce"),
        ("gone", "standard", "64ebc8d3bb51c3ce"),
    ],
)
def test_unknown_rules_are_refused(game: str, variant: str, digest: str) -> None:
    assert stored_ruleset("deuces", "standard", "64ebc8d3bb51c3ce") is ruleset("deuces")
    with pytest.raises(UnknownRulesError, match=digest):
        stored_ruleset(game, variant, digest)


def test_a_folder_may_contain_only_games(tmp_path: Path) -> None:
    (tmp_path / "deuces.toml").write_text(DEUCES)
    found = load_catalog(tmp_path)
    assert list(found.games) == ["deuces"]
    assert found.unlisted == []


def test_a_folder_may_contain_games_and_their_earlier_rules(tmp_path: Path) -> None:
    old = Catalog([load_game("deuces", DEUCES)]).ruleset("deuces")
    kept = tmp_path / "unlisted" / "deuces"
    kept.mkdir(parents=True)
    (tmp_path / "deuces.toml").write_text(DEUCES.replace("redeals = 0", "redeals = 3"))
    (kept / "1.0.0.toml").write_text(DEUCES)
    found = load_catalog(tmp_path)
    assert list(found.games) == ["deuces"]
    assert found.ruleset("deuces").redeals == 3
    assert found.stored_ruleset("deuces", "standard", old.digest).redeals == 0
