"""Custom variants: changes to a game's rules as text, refusals and costs."""

from __future__ import annotations

import gc
import json
import weakref
from contextlib import suppress
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import catalog
from engine.catalog import Catalog, games, load_game, ruleset, stored_ruleset
from engine.errors import (
    EngineError,
    RulesetError,
    UnknownGameError,
    UnknownRulesError,
    UnknownVariantError,
)
from engine.schema import MAX_CHANGES, STANDARD, changed_rules, changes_between
from engine.schema.changes import effective
from engine.schema.cost import too_costly
from engine.schema.effects import normal
from tests.engine.positions import ALL
from tests.engine.reading import try_play
from tests.engine.test_catalog import ROBERT
from tests.engine.test_fuzz import fuzzed
from tests.relatives import find_ruleset
from tests.traced import traced
from tests.vectors.changes import FILE

ENTRIES = [
    (entry["game"], entry["changes"], entry.get("digest"))
    for entry in json.loads(FILE.read_text(encoding="utf-8"))["entries"]
]
PLAYED = [(game, changes) for game, changes, digest in ENTRIES if digest is not None]
VARIANTS = [(game.id, name) for game in games().values() for name in game.variants]


CANONICAL = "without changes that have no effect, and in order, these changes must be written"


def refusal(changes: str) -> str:
    with pytest.raises(RulesetError) as refused:
        ruleset("klondike", changes)
    return refused.value.message


@pytest.mark.parametrize(("game", "variant"), VARIANTS)
def test_a_listed_variant_is_the_standard_rules_with_changes(game: str, variant: str) -> None:
    base, rules = games()[game].variants[STANDARD], games()[game].variants[variant]
    changes = changes_between(base, rules)
    assert (changes == "") == (variant == STANDARD)
    assert not changes or changed_rules(game, base, changes) == rules


@pytest.mark.parametrize(("one", "other"), [(a, b) for a in games() for b in games() if a != b])
def test_one_games_rules_can_be_written_as_changes_to_anothers(one: str, other: str) -> None:
    base, rules = games()[one].variants[STANDARD], games()[other].variants[STANDARD]
    played = effective(base, rules)
    changes = changes_between(base, played)
    assert changes_between(normal(rules), normal(played)) == ""
    if len(changes) <= MAX_CHANGES:
        assert changes_between(played, changed_rules(one, base, changes)) == ""


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ("stock.turns=02", f"klondike.stock.turns: {CANONICAL} 'stock.turns=2'."),
        ("stock.turns=1", f"klondike.stock.turns: {CANONICAL} ''."),
        ("foundations.0.wrap=true", f"klondike.foundations.0.wrap: {CANONICAL} ''."),
        ("tableau.plays=foundation,tableau", f"klondike.tableau.plays: {CANONICAL} ''."),
        (
            "waste.redeals=0;stock.turns=3",
            f"klondike.waste.redeals: {CANONICAL} 'stock.turns=3;waste.redeals=0'.",
        ),
        ("stock.turn=3", "klondike.stock.turn: is not a key that can be changed."),
        ("name=Mine", "klondike.name: is not a key that can be changed."),
        ("listing.order=1", "klondike.listing.order: is not a key that can be changed."),
        ("foundations.first=K", "klondike.foundations.first: is not a key that can be changed."),
        ("foundations.2.first=K", "klondike.foundations.2.first: comes after a group"),
        ("foundations.0=-", "klondike.foundations.0: then foundations: needs at least one group."),
        ("stock.turns=99", "klondike.stock.turns: must be 1 to 52."),
        ("stock.turns=x", "klondike.stock.turns: 'x' is not of the type int."),
        ("tableau.moves=fly", "klondike.tableau.moves: 'fly' is not one of card, run,"),
        ("tableau.deal=", "klondike.tableau.deal: must name 1 to 20 piles."),
        ("tableau.deal=9,9,9,9,9,9,9", "klondike.tableau.deal: then packs: 52 cards are too few"),
        ("stock.turns=2;tableau.deal=52,1", "klondike.tableau.deal: then packs: 52 cards are"),
        ("cells.piles=4", "klondike.cells.piles: needs cells.plays."),
        ("waste=-", "klondike.waste: is needed if stock.plays names it, and only then."),
        ("=", "klondike: changes are up to 500 characters of key=value."),
        ("stock.turns=3;", "klondike: changes are up to 500 characters of key=value."),
        ("stock.turns=\uff13", "klondike: changes are up to 500 characters of key=value."),
        ("stock.turns=" + "3" * 500, "klondike: changes are up to 500 characters of key=value."),
    ],
)
def test_invalid_changes_are_refused_with_their_key(changes: str, message: str) -> None:
    assert refusal(changes).startswith(message)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        (
            "packs=2;tableau.deal=" + ",".join(["2"] * 20) + ";tableau.moves=any",
            "klondike.tableau.deal: allows",
        ),
        (
            ";".join(f"foundations.{n}.piles=5;foundations.{n}.first=A" for n in (1, 2, 3)),
            "klondike.foundations.3.first: then foundations: must be at most 16 piles, not 19.",
        ),
        (
            ";".join(f"foundations.{n}.piles=1;foundations.{n}.first=A" for n in range(1, 9)),
            "klondike.foundations.8.first: then foundations.8: is more than 8 groups.",
        ),
    ],
)
def test_rules_that_cost_too_much_are_refused(changes: str, key: str) -> None:
    assert refusal(changes).startswith(key)


@pytest.mark.parametrize(("game", "variant"), ALL)
def test_no_listed_game_costs_too_much(game: str, variant: str) -> None:
    assert not any(fails for fails, *_ in too_costly(find_ruleset(game, variant).rules))


@pytest.mark.parametrize(("game", "changes"), Random(1).sample(PLAYED, 60))
def test_changed_rules_can_be_played(game: str, changes: str) -> None:
    try_play(ruleset(game, changes), moves=6)


WILD = "tableau.order=any;tableau.match=any;tableau.moves=run"
"""Changes that allow any card anywhere, in sequences as long as the face-up cards."""

ROOSEVELTS = [
    ";".join([f"tableau.deal={','.join(map(str, Random(n).choices(range(5, 12), k=9)))}", WILD])
    for n in range(20)
]
GROUPS = [
    ";".join(
        [
            "foundations.0.piles=1",
            *(f"foundations.{n}.piles=1;foundations.{n}.first={rank}" for n in range(1, 8)),
            f"waste.redeals={number}",
        ]
    )
    for number, rank in enumerate("23456789TJQK", 1)
]


@pytest.mark.parametrize(
    ("game", "all_changes"),
    [
        ("roosevelt", ROOSEVELTS),
        ("klondike", GROUPS),
        ("golf", [f"packs=2;tableau.deal={n}" for n in range(30, 50)]),
    ],
    ids=["deals", "groups", "few piles"],
)
def test_changed_rules_take_about_their_stated_memory(game: str, all_changes: list[str]) -> None:
    known = Catalog([games()[game]])
    known.ruleset(game, all_changes[0])
    with traced() as held:
        made = [known.ruleset(game, changes) for changes in all_changes[1:]]
        taken = held()
    said = sum(each.size for each in made)
    assert said / 2 < taken < said * 2
    assert taken / len(made) < 40_000, "rules with larger deals take more memory"


CHANGE = st.from_regex(r"\A[a-z_]{1,9}(\.\d)?(\.[a-z_]{1,9})?=[A-Za-z0-9,-]{0,9}\Z") | (
    st.sampled_from(sorted({change for _, text, _ in ENTRIES for change in text.split(";")}))
)


@fuzzed
@given(
    st.sampled_from(sorted(games())),
    st.text(max_size=40) | st.lists(CHANGE, min_size=1, max_size=6).map(";".join),
)
def test_any_text_is_read_as_changes_or_refused(game: str, changes: str) -> None:
    with suppress(EngineError):
        ruleset(game, changes)
        rules = ruleset(game, changes)
        assert stored_ruleset(game, changes, rules.digest) is rules
        try_play(rules, moves=3)


def test_repeated_requests_reuse_the_same_rules() -> None:
    known = Catalog([load_game("robert", ROBERT)])
    first = weakref.ref(known.ruleset("robert", "waste.redeals=5"))
    digest = known.ruleset("robert", "waste.redeals=5").digest
    for redeals in range(6, 600):
        known.ruleset("robert", f"waste.redeals={redeals}")
        if redeals % 50 == 0:
            assert known.stored_ruleset("robert", "waste.redeals=5", digest) is first()
    gc.collect()
    assert first() is not None
    for redeals in range(1_000, 1_500):
        known.ruleset("robert", f"waste.redeals={redeals}")
    gc.collect()
    assert first() is None


def test_changed_rules_are_shared_while_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "MAX_KEPT", 100_000)
    known = Catalog([games()["klondike"]])  # other tests may use the shared catalogue's rules
    changes = "stock.turns=2"

    def displace() -> None:
        for turns in range(4, 25):
            known.ruleset("klondike", f"stock.turns={turns}")
        gc.collect()

    kept = known.ruleset("klondike", changes)
    displace()
    assert known.ruleset("klondike", changes) is kept
    assert known.stored_ruleset("klondike", changes, kept.digest) is kept
    unused = weakref.ref(kept)
    del kept
    displace()
    assert unused() is None, "unused rules are kept in memory"


def test_changes_keep_the_rules_of_their_release() -> None:
    before = load_game("robert", ROBERT)
    began = Catalog([before]).ruleset("robert", "waste.redeals=5")
    now = Catalog([load_game("robert", ROBERT.replace("packs = 1", "packs = 2"))], [before])
    found = now.stored_ruleset("robert", "waste.redeals=5", began.digest)
    assert (found.total, found.redeals) == (52, 5)
    assert now.ruleset("robert", "waste.redeals=5").total == 104
    with pytest.raises(UnknownRulesError):
        now.stored_ruleset("robert", "waste.redeals=5", "0" * 16)


def test_a_missing_game_or_variant_is_unknown() -> None:
    with pytest.raises(UnknownGameError):
        ruleset("whist", "stock.turns=3")
    with pytest.raises(UnknownVariantError):
        ruleset("klondike", "blind")
    with pytest.raises(UnknownRulesError):
        stored_ruleset("whist", "stock.turns=3", "0" * 16)
