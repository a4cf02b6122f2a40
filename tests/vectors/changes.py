"""Random changes to rules, and their outcomes, for `tests.vectors.generate`.

An entry has a game, changes to its standard rules, and the digest of the changed rules or the key
at fault. The file starts with the keys of the schema, as a form shows them, and ends with texts
that are refused: contradictions, unknown keys, wrong values, and changes without effect.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, Literal, get_args, get_origin, get_type_hints

from engine.catalog import games
from engine.errors import RulesetError
from engine.ruleset import digest_of
from engine.schema import (
    MAX_CHANGES,
    STANDARD,
    Cells,
    Foundation,
    Reserve,
    Rules,
    Stock,
    Tableau,
    Waste,
    changed_rules,
    changes_between,
)

FILE = Path(__file__).parent / "changes.json"
OF_GAME = 120
"""Entries per game."""

REFUSED_OF_GAME = 30
"""Refused texts per game."""

TABLES: dict[str, Any] = {
    "tableau": Tableau((4,) * 6, "down", "alternate", ("tableau", "foundation")),
    "stock": Stock(),
    "waste": Waste(("tableau", "foundation")),
    "reserve": Reserve((3, 3), ("tableau", "foundation")),
    "cells": Cells(4, ("tableau", "foundation")),
}
"""A table of each kind, for rules that lack it."""

PLACES: dict[int | None, tuple[int, ...]] = {
    1: (3, 10, 21, 28),
    2: (5, 11, 19, 29),
    3: (7, 16, 28),
    4: (9, 21),
}
"""Numbers of places of whole rows, by peaks."""


def keys() -> Iterator[dict[str, Any]]:
    tables = [("", Rules)] + [(name, type(table)) for name, table in TABLES.items()]
    for table, kind in [*tables[:1], ("foundations", Foundation), *tables[1:]]:
        for name, hint in get_type_hints(kind).items():
            if name == "name" or (not table and name not in ("packs", "suits")):
                continue
            words = [word for word in words_of(hint) if word is not None]
            optional = type(None) in get_args(hint)
            yield {"table": table, "name": name, "options": words, "optional": optional}


def words_of(hint: Any) -> list[Any]:
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    return [word for each in get_args(hint) for word in words_of(each)]


def entries() -> Iterator[dict[str, Any]]:
    """Yield random changes, with the digest or the key of the first fault."""
    chance = Random(34)
    for game, listed in games().items():
        base = listed.variants[STANDARD]
        found = set[str]()
        while len(found) < OF_GAME:
            rules = base
            for _ in range(chance.choice((1, 1, 2, 3, 5))):
                rules = _changed(rules, chance)
            changes = changes_between(base, rules)
            if not changes or len(changes) > MAX_CHANGES or changes in found:
                continue
            found.add(changes)
            yield {"game": game, "changes": changes, **outcome(game, base, changes)}


def refused() -> Iterator[dict[str, Any]]:
    """Yield texts that no client writes, all refused, with the key of the first fault."""
    chance = Random(56)
    texts = [f"{key['table']}.{key['name']}".lstrip(".") for key in keys()]
    names = [text.replace("foundations.", "foundations.0.") for text in texts]
    names += ["foundations.1.piles", "foundations.1.first", "foundations.3.first", "name", "stock"]
    words = [str(word) for key in keys() for word in key["options"]]
    words += ["-", "", "0", "-1", "1", "2", "02", "21", "1000000", "99999999", "true", "false"]
    words += ["tableau", "foundation,tableau", "cell,tableau", "waste,row", "SH", "HS", "X", "A,A"]
    words += ["1,1,1", "0,0", "999999999,1", "30,30", "99999999"]
    for game, listed in games().items():
        base = listed.variants[STANDARD]
        found = {"cells.piles=1000000", "tableau.deal=99999999", "foundations.0.last=T"}
        while len(found) < REFUSED_OF_GAME:
            number = chance.choice((1, 1, 1, 2, 3))
            pairs = [f"{chance.choice(names)}={chance.choice(words)}" for _ in range(number)]
            text = ";".join(pairs)
            if "digest" not in outcome(game, base, text):
                found.add(text)
        for text in sorted(found):
            result = outcome(game, base, text)
            if "fault" in result:
                yield {"game": game, "changes": text, **result}


def outcome(game: str, base: Rules, changes: str) -> dict[str, str]:
    """Return the digest of changed rules, or the key of the change at fault; empty for none."""
    try:
        rules = changed_rules(game, base, changes)
    except RulesetError as error:
        return {"fault": error.message.partition(":")[0].removeprefix(game).removeprefix(".")}
    return {"digest": digest_of(game, changes, rules)}


def _changed(rules: Any, chance: Random) -> Any:
    if chance.random() < 0.02 and rules.tableau is not None:
        # Any game as one of pairs: random changes rarely meet all that pairs need.
        tableau = replace(rules.tableau, plays=("foundation",), moves="card", run_match=None)
        kept: dict[str, Any] = {"reserve": None, "cells": None, "stock": Stock(("waste",))}
        kept |= {"waste": Waste(("foundation",), 2), "tableau": tableau}
        return replace(rules, foundations=(Foundation(1, "any", "pair"),), **kept)
    there = [name for name in TABLES if getattr(rules, name) is not None]
    name = chance.choice(["packs", "suits", *["foundations"] * 4, *TABLES, *there * 4])
    if name == "foundations":
        groups = list(rules.foundations)
        at = chance.randrange(len(groups) + 1)
        if at == len(groups):
            groups.append(Foundation(chance.randrange(1, 9), chance.choice(("A", "K", "any"))))
        elif chance.random() < 0.1:
            del groups[at:]
        else:
            groups[at] = _set(groups[at], chance)
            if groups[at].takes == "pair" and chance.random() < 0.8:
                groups = [Foundation(1, "any", "pair")]
        return replace(rules, foundations=tuple(groups))
    table = getattr(rules, name)
    if is_dataclass(table):
        gone = name != "stock" and chance.random() < 0.05
        changed = None if gone else _set(table, chance)
        if isinstance(table, Tableau) and changed and changed.peaks != table.peaks:
            changed = _with_places(changed, chance)
        return replace(rules, **{name: changed})
    if name in TABLES:
        return replace(rules, **{name: TABLES[name]})
    value = chance.choice((1, 2, 3)) if name == "packs" else chance.choice(("S", "SH", "HDC", "X"))
    return replace(rules, **{name: value})


def _with_places(tableau: Tableau, chance: Random) -> Tableau:
    """Return a tableau with the piles of whole rows for its peaks, or of columns without any."""
    size = chance.choice(PLACES.get(tableau.peaks, (7,)))
    deal = (1,) * size if tableau.peaks else (4,) * size
    return replace(tableau, deal=deal, empty="none", plays=("foundation",), moves="card", fill=())


def _set(table: Any, chance: Random) -> Any:
    name = chance.choice([field.name for field in fields(table)])
    hint = get_type_hints(type(table))[name]
    value = getattr(table, name)
    words: list[Any] = words_of(hint)
    if name == "deal":
        value = tuple(chance.randrange(9) for _ in range(chance.choice((1, 3, 7, 10, 14, 21))))
    elif name == "peaks":
        value = chance.choice((None, 0, 1, 2, 3, 4, 5))
    elif isinstance(value, bool):
        value = not value
    elif get_origin(hint) is tuple:
        value = tuple(chance.sample(words, chance.randrange(len(words) + 1)))
    elif int in (hint, *get_args(hint)):
        value = chance.choice([*words, *(chance.randrange(-1, 16) for _ in range(4))])
    elif words:
        value = chance.choice(words + [None] * (type(None) in get_args(hint)))
    else:
        value = chance.choice(("S", "HD", "SHDC", "HHC"))
    return replace(table, **{name: value})


def text() -> str:
    parts = {"keys": keys(), "entries": entries(), "refused": refused()}
    written = [
        f'"{name}": [\n'
        + ",\n".join(json.dumps(each, separators=(",", ":")) for each in part)
        + "\n]"
        for name, part in parts.items()
    ]
    return "{\n" + ",\n".join(written) + "\n}\n"
