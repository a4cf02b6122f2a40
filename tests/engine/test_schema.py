"""The schema of rules: refused documents, and the path in the message."""

from __future__ import annotations

import tomllib
from copy import deepcopy
from typing import Any

import pytest

from engine.errors import RulesetError
from engine.schema import Listing, Rules, read_game, read_rules

SOUND: dict[str, Any] = tomllib.loads(
    """
    name = "Sound"
    packs = 2
    [[foundations]]
    piles = 8
    first = "A"
    [tableau]
    deal = [3, 3, 3]
    order = "down"
    match = "alternate"
    plays = ["tableau", "foundation"]
    [stock]
    plays = ["waste"]
    [waste]
    plays = ["tableau", "foundation"]
    """
)

MISSING = object()


def changed(path: str, value: Any) -> dict[str, Any]:
    """Return the sound document with the value at a path replaced, or the key removed."""
    document = deepcopy(SOUND)
    *tables, key = path.replace("foundations.", "foundations.0.").split(".")
    place: Any = document
    for table in tables:
        place = place[int(table)] if isinstance(place, list) else place[table]
    if value is MISSING:
        del place[key]
    else:
        place[key] = value
    return document


def refusal(document: Any) -> str:
    with pytest.raises(RulesetError) as refused:
        read_rules("g", document)
    return refused.value.message


def test_the_sound_document_is_read_with_its_defaults() -> None:
    rules = read_rules("g", SOUND)
    assert isinstance(rules, Rules)
    assert rules.tableau is not None
    assert rules.waste is not None
    assert (rules.tableau.deal, rules.tableau.face_up, rules.tableau.fill) == ((3, 3, 3), "all", ())
    assert (rules.foundations[0].suits, rules.waste.redeals) == ("SHDC", 0)


@pytest.mark.parametrize(
    "path", ["nme", "foundations.colour", "tableau.spaces", "stock.redeals", "waste.top"]
)
def test_an_unknown_key_is_refused_with_its_path(path: str) -> None:
    message = refusal(changed(path, 1))
    assert message.startswith(f"g.{path.replace('foundations', 'foundations[0]')}: is not a key")


@pytest.mark.parametrize(
    "path",
    [
        *("name", "packs", "foundations", "foundations.piles", "foundations.first"),
        *("tableau.deal", "tableau.order", "tableau.match", "tableau.plays", "waste.plays"),
    ],
)
def test_a_missing_key_is_refused_with_its_path(path: str) -> None:
    message = refusal(changed(path, MISSING))
    assert message == f"g.{path.replace('foundations.', 'foundations[0].')}: is missing."


@pytest.mark.parametrize(
    ("path", "value", "at"),
    [
        ("name", 1, "name"),
        ("packs", "2", "packs"),
        ("packs", True, "packs"),
        ("packs", 2.0, "packs"),
        ("foundations", {}, "foundations"),
        ("foundations", [1], "foundations[0]"),
        ("foundations.piles", "8", "foundations[0].piles"),
        ("foundations.first", "1", "foundations[0].first"),
        ("foundations.first", 2, "foundations[0].first"),
        ("foundations.takes", "cards", "foundations[0].takes"),
        ("foundations.setup", "full", "foundations[0].setup"),
        ("foundations.suits", ["S"], "foundations[0].suits"),
        ("foundations.order", "sideways", "foundations[0].order"),
        ("foundations.match", "rank", "foundations[0].match"),
        ("foundations.wrap", 1, "foundations[0].wrap"),
        ("tableau", [], "tableau"),
        ("tableau.deal", 7, "tableau.deal"),
        ("tableau.deal", [1, "2"], "tableau.deal[1]"),
        ("tableau.face_up", "some", "tableau.face_up"),
        ("tableau.face_up", True, "tableau.face_up"),
        ("tableau.order", "across", "tableau.order"),
        ("tableau.match", "rank", "tableau.match"),
        ("tableau.wrap", "yes", "tableau.wrap"),
        ("tableau.moves", "runs", "tableau.moves"),
        ("tableau.empty", "B", "tableau.empty"),
        ("tableau.fill", "waste", "tableau.fill"),
        ("tableau.fill", ["tableau"], "tableau.fill[0]"),
        ("tableau.fill", ["stock", "stock"], "tableau.fill"),
        ("tableau.plays", ["waste"], "tableau.plays[0]"),
        ("tableau.plays", ["tableau", "tableau"], "tableau.plays"),
        ("stock", "waste", "stock"),
        ("stock.plays", ["hand"], "stock.plays[0]"),
        ("stock.top", "sideways", "stock.top"),
        ("stock.to_foundation", "all", "stock.to_foundation"),
        ("waste.plays", ["waste"], "waste.plays[0]"),
        ("waste.redeals", "2", "waste.redeals"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_with_its_path(path: str, value: Any, at: str) -> None:
    assert refusal(changed(path, value)).startswith(f"g.{at}: ")


def test_short_values_are_quoted_and_long_ones_named_by_type() -> None:
    assert "'1' is not one of A, 2, " in refusal(changed("foundations.first", "1"))
    assert "the list is not of the type str." in refusal(changed("foundations.suits", ["S"]))


def test_messages_have_a_maximum_length() -> None:
    most = RulesetError.longest
    assert RulesetError("x" * most).message == "x" * most
    assert RulesetError("x" * (most + 1)).message == "x" * most + "…"


def group(**changes: Any) -> dict[str, Any]:
    return {"foundations": [SOUND["foundations"][0] | changes]}


def table(table: str, **changes: Any) -> dict[str, Any]:
    return {table: SOUND[table] | changes}


NO_TABLEAU: dict[str, Any] = {"tableau": None}
NO_WASTE: dict[str, Any] = {"waste": None}
HOME_ONLY = NO_TABLEAU | table("waste", plays=["foundation"])
TWOS = {"piles": 8, "first": "2", "setup": "laid-out"}
RUNS = {"piles": 4, "first": "K", "takes": "run"}
CELLS: dict[str, Any] = {"piles": 4, "plays": ["tableau", "foundation"]}
STORED = table("tableau", plays=["tableau", "cell"]) | {"cells": CELLS}
SAME = {"piles": 7, "first": "same"}
PAIR = {"piles": 1, "first": "any", "takes": "pair"}


def peaks(**changes: Any) -> dict[str, Any]:
    kept = {"peaks": 1, "deal": [1] * 28, "empty": "none", "plays": ["foundation"]}
    return table("tableau", **kept | changes)


PEAKS = peaks() | table("waste", plays=["foundation"])
PAIRS = (
    {"foundations": [PAIR]}
    | table("tableau", plays=["foundation"])
    | table("waste", plays=["foundation"])
)
RESERVE: dict[str, Any] = {"deal": [13], "plays": ["tableau", "foundation"]}


@pytest.mark.parametrize(
    ("changes", "at", "sentence"),
    [
        ({"packs": 0}, "packs", "1 or 2"),
        ({"packs": 3}, "packs", "1 or 2"),
        (table("tableau", deal=[52, 53]), "packs", "too few to deal 105"),
        (
            table("tableau", deal=[52, 52]) | group(setup="dealt", first="any"),
            "packs",
            "104 cards are too few to deal 112",
        ),
        ({"foundations": []}, "foundations", "at least one group"),
        (NO_WASTE, "waste", "is needed if"),
        (table("stock", plays=["row"]), "waste", "only then"),
        (NO_WASTE | table("stock", plays=[]), "stock.plays", "the stock's 95 cards go"),
        ({"stock": None}, "stock.plays", "must name where"),
        ({"suits": "SHD"}, "suits", "one, two or four"),
        ({"suits": "SS"}, "suits", "duplicates"),
        ({"suits": ""}, "suits", "letters of SHDC"),
        ({"suits": "S"} | group(**TWOS), "foundations[0].setup", "one pile for each"),
        (table("stock", turns=0), "stock.turns", "1 to 52"),
        (table("stock", turns=53), "stock.turns", "1 to 52"),
        (table("stock", turns=3, plays=["waste", "row"]), "stock.turns", "to the waste alone"),
        (table("stock", row_on_empty=False), "stock.row_on_empty", "needs 'row'"),
        (table("tableau", run_match="suit"), "tableau.run_match", "moves runs"),
        (
            table("tableau", run_match="suit", moves="run"),
            "tableau.run_match",
            "tableau.match = 'any'",
        ),
        (
            table("tableau", moves="run-by-places", plays=["foundation"]),
            "tableau.moves",
            "in tableau.plays",
        ),
        (table("tableau", fill=["reserve"]), "tableau.fill", "no reserve"),
        (table("tableau", plays=["cell"]), "tableau.plays", "no cells"),
        (table("waste", plays=["cell"]), "waste.plays", "no cells"),
        ({"cells": CELLS}, "cells", "needs 'cell' in"),
        (STORED | {"cells": CELLS | {"piles": 0}}, "cells.piles", "1 to 20"),
        (STORED | {"cells": CELLS | {"piles": 21}}, "cells.piles", "1 to 20"),
        ({"reserve": RESERVE | {"deal": []}}, "reserve.deal", "1 to 20"),
        ({"reserve": RESERVE | {"deal": [1, 0]}}, "reserve.deal", "each pile a card"),
        ({"reserve": RESERVE | {"face_up": 0}}, "reserve.face_up", "at least 1"),
        ({"reserve": RESERVE | {"plays": ["cell"]}}, "reserve.plays", "no cells"),
        ({"reserve": RESERVE | {"deal": [96]}}, "packs", "too few to deal 105"),
        (HOME_ONLY | {"reserve": RESERVE}, "reserve.plays", "no tableau"),
        (group(first="same"), "foundations[0].first", "a first group"),
        (
            {"foundations": [SOUND["foundations"][0], {"piles": 3, "first": "same"}]},
            "foundations[1].first",
            "the setup 'dealt'",
        ),
        (group(last="K"), "foundations[0].last", "first = 'any'"),
        (group(automatic=True), "foundations[0].automatic", "takes = 'run'"),
        (group(**RUNS, plays=["tableau"]), "foundations[0].plays", "takes = 'card'"),
        (
            group(first="any", setup="dealt", plays=["tableau"]),
            "foundations[0].plays",
            "the setup 'empty'",
        ),
        (
            NO_TABLEAU | NO_WASTE | table("stock", plays=["row"]),
            "stock.plays",
            "a row needs a tableau",
        ),
        (
            HOME_ONLY | table("stock", plays=["waste", "tableau"], top="up"),
            "stock.plays",
            "no tableau",
        ),
        (table("stock", plays=["waste", "tableau"]), "stock.top", "must be 'up'"),
        (table("stock", plays=["waste", "foundation"]), "stock.top", "must be 'up'"),
        (
            table("stock", plays=["waste", "tableau", "foundation"], to_foundation="any"),
            "stock.top",
            "must be 'up'",
        ),
        (table("stock", to_foundation="first"), "stock.to_foundation", "in stock.plays"),
        (
            table("stock", plays=["waste", "foundation"], to_foundation="any")
            | {"foundations": [{"piles": 1, "first": "K", "takes": "run"}]},
            "stock.to_foundation",
            "takes runs",
        ),
        (table("waste", redeals=-1), "waste.redeals", "negative"),
        (NO_TABLEAU, "waste.plays", "no tableau"),
        (table("tableau", deal=[]), "tableau.deal", "1 to 20"),
        (table("tableau", deal=[1] * 21), "tableau.deal", "1 to 20"),
        (table("tableau", deal=[1, -1]), "tableau.deal", "negative"),
        (table("tableau", face_up=0), "tableau.face_up", "at least 1"),
        (table("tableau", order="any"), "tableau.match", "as tableau.order"),
        (
            NO_WASTE | table("tableau", fill=["waste"]) | table("stock", plays=["row"]),
            "tableau.fill",
            "no waste",
        ),
        (table("tableau", fill=["stock"], deal=[1, 0]), "tableau.fill", "dealt to each"),
        (PEAKS | peaks(peaks=0), "tableau.peaks", "1 to 4"),
        (PEAKS | peaks(peaks=5), "tableau.peaks", "1 to 4"),
        (PEAKS | peaks(deal=[1] * 4), "tableau.deal", "two or more whole rows"),
        (PEAKS | peaks(deal=[1]), "tableau.deal", "two or more whole rows"),
        (PEAKS | peaks(deal=[1, 1, 2]), "tableau.deal", "a card to each place"),
        (PEAKS | peaks(deal=[1] * 31), "tableau.deal", "1 to 30"),
        (PEAKS | peaks(empty="any"), "tableau.empty", "must be 'none'"),
        (PEAKS | peaks(plays=[]), "tableau.plays", "'foundation' alone"),
        (PEAKS | peaks(moves="run"), "tableau.moves", "must be 'card'"),
        (PEAKS | peaks(fill=["waste"]), "tableau.fill", "must be empty"),
        (PEAKS | table("waste"), "tableau.peaks", "no pile plays to"),
        (PEAKS | table("stock", plays=["waste", "row"]), "tableau.peaks", "no pile plays to"),
        (PEAKS | peaks(cleared="wins"), "tableau.cleared", "a single foundation"),
        (
            PAIRS | table("tableau", plays=["foundation"], deal=[0], cleared="wins"),
            "tableau.cleared",
            "cards dealt",
        ),
        (PAIRS | group(**PAIR | {"piles": 2}), "foundations[0].takes", "this foundation alone"),
        (PAIRS | group(**PAIR | {"first": "A"}), "foundations[0].takes", "this foundation alone"),
        (PAIRS | group(**PAIR, wrap=True), "foundations[0].takes", "no other keys"),
        (
            PAIRS | {"foundations": [PAIR, SOUND["foundations"][0]]},
            "foundations[0].takes",
            "this foundation alone",
        ),
        (PAIRS | table("waste"), "foundations[0].takes", "a tableau that no pile plays to"),
        (
            PAIRS
            | table("tableau", plays=["foundation", "cell"])
            | {"cells": CELLS | {"plays": ["foundation"]}},
            "foundations[0].takes",
            "without cells",
        ),
        (
            PAIRS | table("stock", plays=["waste", "foundation"], to_foundation="any"),
            "foundations[0].takes",
            "a stock that does not play",
        ),
        (group(piles=0), "foundations[0].piles", "1 to 12"),
        (group(piles=13), "foundations[0].piles", "1 to 12"),
        (group(suits=""), "foundations[0].suits", "letters of SHDC"),
        (group(suits="SX"), "foundations[0].suits", "letters of SHDC"),
        (group(suits="SS"), "foundations[0].suits", "duplicates"),
        (group(**TWOS | {"first": "any"}), "foundations[0].setup", "a fixed rank"),
        (group(**TWOS | {"piles": 4}), "foundations[0].setup", "one pile for each"),
        (
            {"foundations": [TWOS, TWOS | {"suits": "S", "piles": 2}]},
            "foundations[1].setup",
            "the same cards",
        ),
        (HOME_ONLY | group(**RUNS), "foundations[0].takes", "'run' needs"),
        (group(**RUNS | {"first": "any"}), "foundations[0].takes", "a fixed first rank"),
        (group(**RUNS) | table("tableau", order="up"), "foundations[0].takes", "builds down"),
        (group(**RUNS | {"setup": "dealt"}), "foundations[0].takes", "the setup 'empty'"),
        (group(setup="dealt"), "foundations[0].setup", "first = 'any'"),
        (group(setup="dealt", first="any", suits="SH"), "foundations[0].setup", "all suits"),
        ({"packs": 1_000_001}, "packs", "must be from -1000000 to 1000000"),
        (group(order="any"), "foundations[0].order", "must not be 'any'"),
    ],
)
def test_a_contradiction_is_refused_with_its_path(
    changes: dict[str, Any], at: str, sentence: str
) -> None:
    document = {key: value for key, value in (SOUND | changes).items() if value is not None}
    message = refusal(document)
    assert message.startswith(f"g.{at}: ")
    assert sentence in message


def test_combinations_without_a_contradiction_are_read() -> None:
    for sound in (
        table("tableau", fill=["stock"], moves="run"),
        table("stock", turns=52),
        table("waste", redeals="any"),
        {"suits": "S"},
        {"suits": "HC"},
        STORED,
        {"reserve": RESERVE | {"face_up": 1}},
        group(plays=["tableau"]),
        group(first="any", last="K"),
        group(**RUNS, automatic=True),
        table("tableau", match="any", run_match="suit", moves="run"),
        {"foundations": [{"piles": 1, "first": "any", "setup": "dealt"}, SAME]},
        group(**TWOS),
        {"foundations": [TWOS | {"suits": s, "piles": 4} for s in ("SH", "DC")]},
        group(**RUNS),
        group(setup="dealt", first="any"),
        group(piles=1),
        group(piles=12),
        table("tableau", deal=[52, 52]),
        table("tableau", deal=[1]),
        table("tableau", deal=[1] * 20),
        table("tableau", face_up=1),
        table("tableau", match="any"),
        table("tableau", order="any", match="any"),
        table("stock", plays=["waste", "foundation"], to_foundation="any"),
        table("tableau", fill=["waste"], moves="run-by-spaces"),
        PEAKS,
        *(
            PEAKS | peaks(peaks=number, deal=[1] * places)
            for number, sizes in ((1, (3, 6, 10, 28)), (2, (5, 29)), (3, (7, 28)), (4, (9, 21)))
            for places in sizes
        ),
        PAIRS,
        PAIRS | {"reserve": RESERVE | {"plays": ["foundation"]}},
        PEAKS | {"foundations": [PAIR]} | peaks(cleared="wins"),
        PAIRS | table("tableau", plays=["foundation"], fill=["waste"], cleared="wins"),
        table("waste", redeals=1_000_000),
    ):
        assert isinstance(read_rules("g", SOUND | sound), Rules)


def with_variant(**changes: Any) -> dict[str, Any]:
    return SOUND | {"variants": {"v": {"name": "V"} | changes}}


def test_a_variant_overrides_some_keys_and_leaves_the_others() -> None:
    game = read_game("g", with_variant(tableau={"moves": "run"}, packs=1))
    assert (game.id, game.name) == ("g", "Sound")
    assert list(game.variants) == ["standard", "v"]
    assert game.variant_names == {"standard": "Standard", "v": "V"}
    standard, variant = game.variants.values()
    assert standard.tableau is not None
    assert variant.tableau is not None
    assert (standard.tableau.moves, variant.tableau.moves) == ("card", "run")
    assert (standard.packs, variant.packs) == (2, 1)
    assert standard.tableau.deal == variant.tableau.deal
    assert (standard.name, variant.name) == ("Sound", "Sound")


@pytest.mark.parametrize(
    ("document", "start"),
    [
        (SOUND | {"variants": []}, "g.variants: must be a table"),
        (SOUND | {"variants": {"v": 1}}, "g.variants.v: must be a table"),
        (SOUND | {"variants": {"standard": {"name": "S"}}}, "g.variants.standard: must be"),
        (SOUND | {"variants": {"v": {}}}, "g.variants.v.name: "),
        (with_variant(name=1), "g.variants.v.name: "),
        (with_variant(tableau={"fil": 1}), "g.variants.v.tableau.fil: is not a key"),
        (with_variant(tableau={"fill": ["none"]}), "g.variants.v.tableau.fill[0]: "),
        (with_variant(packs=3), "g.variants.v.packs: must be"),
        (with_variant(variants={}), "g.variants.v.variants: is not a key"),
        (with_variant(listing={"daily": "v"}), "g.variants.v.listing: is not a key"),
        (SOUND | {"packs": 3}, "g.packs: must be"),
        (SOUND | {"listing": 1}, "g.listing: must be a table"),
        (SOUND | {"listing": {"weekly": True}}, "g.listing.weekly: is not a key"),
        (SOUND | {"listing": {"daily": True}}, "g.listing.daily: True is not of the type str"),
        (SOUND | {"listing": {"daily": "none"}}, "g.listing.daily: must be the id of a variant"),
        (
            with_variant(packs=1) | {"listing": {"daily": "v"}},
            "g.listing.daily: must be the id of a variant with as many packs",
        ),
        (SOUND | {"listing": {"crown": "lost"}}, "g.listing.crown: 'lost' is not one of"),
        (SOUND | {"listing": {"race": "none"}}, "g.listing.race: must be the id of a variant"),
        (SOUND | {"listing": {"headway": "lost"}}, "g.listing.headway: 'lost' is not one of"),
        (SOUND | {"listing": {"headway": "in-order"}}, "g.listing.headway: in-order needs a game"),
        (SOUND | {"listing": {"order": -1}}, "g.listing.order: must be 0 to 1000"),
        (SOUND | {"listing": {"order": 1001}}, "g.listing.order: must be 0 to 1000"),
        (SOUND | {"listing": {"minutes": 0}}, "g.listing.minutes: must be 1 to 240"),
        (SOUND | {"listing": {"minutes": 241}}, "g.listing.minutes: must be 1 to 240"),
        (SOUND | {"listing": {"minutes": 2.5}}, "g.listing.minutes: "),
    ],
)
def test_variants_and_listings_are_checked_like_a_game(
    document: dict[str, Any], start: str
) -> None:
    with pytest.raises(RulesetError) as refused:
        read_game("g", document)
    assert refused.value.message.startswith(start)


def test_a_listing_is_read_and_has_defaults() -> None:
    listing = {"daily": "v", "crown": "rarities", "order": 0, "minutes": 240}
    listing |= {"race": "v", "headway": "turned-up"}
    game = read_game("g", {**with_variant(), "listing": listing})
    assert game.listing == Listing("v", "rarities", 0, 240, race="v", headway="turned-up")
    assert read_game("g", SOUND).listing == Listing(None, order=1000, minutes=10, race="standard")
