"""The catalogue of games: every file of `games/`, loaded once."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from typing import Any

from engine.errors import RulesetError, UnknownGameError, UnknownVariantError
from engine.ruleset import Ruleset
from engine.schema import STANDARD, Game, read_game


def load_game(game: str, text: str) -> Game:
    """Parse a game's file.

    Args:
        game: the game's id, which is the file's name without `.toml`.
        text: the file's content.

    Raises:
        RulesetError: the text is not TOML, or not a valid ruleset.
    """
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of too many digits is a ValueError
        raise RulesetError(f"{game}: is not TOML: {error}") from error
    return read_game(game, document)


@cache
def games() -> Mapping[str, Game]:
    """Return all games by id, sorted by name."""
    folder = files("engine") / "games"
    found = [
        load_game(entry.name.removesuffix(".toml"), entry.read_text(encoding="utf-8"))
        for entry in folder.iterdir()
        if entry.name.endswith(".toml")
    ]
    return {game.id: game for game in sorted(found, key=lambda game: game.name)}


@cache
def _rulesets() -> Mapping[tuple[str, str], Ruleset]:
    return {
        (game.id, variant): Ruleset(game.id, variant, rules)
        for game in games().values()
        for variant, rules in game.variants.items()
    }


def ruleset(game: str, variant: str = STANDARD) -> Ruleset:
    """Return the rules of a game in one of its variants: always the same object.

    Raises:
        UnknownGameError: there is no such game.
        UnknownVariantError: the game has no such variant.
    """
    if game not in games():
        raise UnknownGameError(f"There is no game {game!r}; known are {', '.join(games())}.")
    found = _rulesets().get((game, variant))
    if found is None:
        variants = ", ".join(games()[game].variants)
        raise UnknownVariantError(f"{game} has no variant {variant!r}; known are {variants}.")
    return found


def exported(chosen: Iterable[Game] | None = None) -> dict[str, Any]:
    """Return the rules of games as JSON values, for other implementations to read.

    Every variant is complete: its overrides are merged into the standard rules, and keys that the
    file leaves out have their defaults.

    Args:
        chosen: the games to export; the whole catalogue if left out.
    """
    return {
        "games": [
            {
                "id": game.id,
                "name": game.name,
                "variants": [
                    {"id": variant, "name": game.variant_names[variant], "rules": asdict(rules)}
                    for variant, rules in game.variants.items()
                ],
            }
            for game in (games().values() if chosen is None else chosen)
        ]
    }
