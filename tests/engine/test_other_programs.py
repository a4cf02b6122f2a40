"""The table of other programs in RULES.md, and the same on the page's rules screens."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from engine.catalog import games
from tests.engine.markdown import tables

PAGE = Path(__file__).parents[2] / "client_js/web/src/text/messages"
LANGUAGES = sorted(path.stem for path in PAGE.glob("*.json"))
PROGRAMS = ["PySolFC", "AisleRiot", "KPat", "soliterm", "Microsoft"]
RULES = (Path(__file__).parents[2] / "engine/RULES.md").read_text(encoding="utf-8")
(ROWS,) = (rows for rows in tables("RULES.md") if list(rows[0])[:2] == ["game", "variant"])


def played() -> dict[str, set[str]]:
    """Return the programs of each variant by the table, by the texts' keys."""
    ids = {game.name: game.id for game in games().values()}
    return {
        f"{ids[row['game']]} {row['variant'].strip('`')}": {
            program
            for program in PROGRAMS
            for column, cell in row.items()
            if column.startswith(program) and cell != "-"
        }
        for row in ROWS
    }


def texts(language: str) -> dict[str, str]:
    document: dict[str, Any] = json.loads((PAGE / f"{language}.json").read_text(encoding="utf-8"))
    found: dict[str, str] = document["elsewhere"]["played"]
    return found


def test_the_table_names_listed_variants_in_their_order() -> None:
    listed = [f"{game.id} {variant}" for game in games().values() for variant in game.variants]
    named = list(played())
    assert set(named) <= set(listed)
    for game in games():
        of_game = [name for name in listed if name.startswith(f"{game} ") and name in named]
        assert of_game == [name for name in named if name.startswith(f"{game} ")]
    assert all(played().values())


def test_the_page_explains_each_difference_that_the_table_marks() -> None:
    cells = " ".join(cell for row in ROWS for cell in row.values())
    explained = re.findall(r"^- \*(\w+)\*: ", RULES, re.MULTILINE)
    assert sorted(explained) == sorted(set(re.findall(r"\*(\w+)\*", cells)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_screens_name_the_same_programs(language: str) -> None:
    named = {
        name: {program for program in PROGRAMS if program in text}
        for name, text in texts(language).items()
    }
    assert named == played()
