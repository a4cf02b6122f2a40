"""Relatives: games for tests only, one data file each and no code.

They show that the rules are data, and run the same tests with other values of the schema. The files
have the format of `engine/games/`; their names are the games' ids.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from engine.catalog import load_game, ruleset
from engine.ruleset import Ruleset
from engine.schema import STANDARD, Game

FOLDER = Path(__file__).parent

RELATIVES: Mapping[str, Game] = {
    path.stem: load_game(path.stem, path.read_text(encoding="utf-8"))
    for path in sorted(FOLDER.glob("*.toml"))
}
"""The relatives by id."""

_RULESETS = {
    (game.id, variant): Ruleset(game.id, variant, rules)
    for game in RELATIVES.values()
    for variant, rules in game.variants.items()
}

RELATED = list(_RULESETS)
"""(game, variant) of every relative in every variant."""


def find_ruleset(game: str, variant: str = STANDARD) -> Ruleset:
    """Return the rules of a relative, or of a game in the catalogue.

    Raises:
        EngineError: there is no such game or variant.
    """
    return _RULESETS.get((game, variant)) or ruleset(game, variant)
