"""The catalogue of games: playable rules, and older ones that stored attempts still need.

Every file of `games/` is a game. `games/unlisted/<game>/<release>.toml` is a game's file as an
earlier release had it. An attempt that started with those rules continues with them; they are found
by digest and serve no new deals.
"""

from __future__ import annotations

import tomllib
from collections import OrderedDict
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from engine.errors import RulesetError, UnknownGameError, UnknownRulesError, UnknownVariantError
from engine.ruleset import Ruleset, digest_of
from engine.schema import (
    STANDARD,
    Game,
    Headway,
    Listing,
    Rules,
    changed_rules,
    is_changes,
    read_game,
)

MAX_KEPT = 2 << 20  # the size of the cache of changed rules, in bytes: room for about 300


class _Rules(NamedTuple):
    """Rules whose tables are computed on first use."""

    game: str
    variant: str
    rules: Rules


class Catalog:
    """Games by id, and all rules by digest."""

    def __init__(self, games: Iterable[Game], unlisted: Iterable[Game] = ()) -> None:
        """Index games, and earlier versions of games that are found only by digest."""
        ordered = sorted(games, key=lambda game: (game.listing.order, game.name))
        # The playable games by id, sorted by the order of their listings, then by name.
        self.games: Mapping[str, Game] = {game.id: game for game in ordered}
        current, others = _by_digest(ordered), _by_digest(unlisted)
        self._current = {(each.game, each.variant): digest for digest, each in current.items()}
        self.unlisted = sorted(others.keys() - current.keys())  # digests, sorted
        self._rules = others | current
        self._rulesets: dict[str, Ruleset] = {}
        self._changed: WeakValueDictionary[str, Ruleset] = WeakValueDictionary()
        self._named: WeakValueDictionary[tuple[str, str], Ruleset] = WeakValueDictionary()
        self._latest: OrderedDict[str, Ruleset] = OrderedDict()
        self._kept = 0

    def ruleset(self, game: str, variant: str = STANDARD) -> Ruleset:
        """Return the rules for new deals of a game.

        Args:
            variant: the variant's id, or changes to the standard rules (`engine.schema.changes`).

        Raises:
            UnknownGameError, UnknownVariantError: there is no such game or variant.
            RulesetError: the changes are invalid.
        """
        if game not in self.games:
            raise UnknownGameError(f"There is no game {game!r}; known are {', '.join(self.games)}.")
        if is_changes(variant):
            known = self._named.get((game, variant))
            if known is not None:
                return self._keep(known)
            found = self._changed_by(self.games[game].variants[STANDARD], game, variant)
            self._named[game, variant] = found
            return found
        digest = self._current.get((game, variant))
        if digest is None:
            variants = ", ".join(self.games[game].variants)
            raise UnknownVariantError(f"{game} has no variant {variant!r}; known are {variants}.")
        return self._ready(digest)

    def stored_ruleset(self, game: str, variant: str, digest: str) -> Ruleset:
        """Return the rules of a stored attempt or deal, by their digest.

        Raises:
            UnknownRulesError: the catalogue has no such rules.
        """
        if is_changes(variant):
            return self._stored_changed(game, variant, digest)
        found = self._rules.get(digest)
        if found is None or (found.game, found.variant) != (game, variant):
            raise UnknownRulesError(f"The rules {digest} of {game}, {variant}, are unknown here.")
        return self._ready(digest)

    def knows(self, game: str, digest: str) -> bool:
        """Return whether rules are those of a listed variant of a game, in any release."""
        found = self._rules.get(digest)
        return found is not None and found.game == game

    def is_ready(self, game: str, variant: str) -> bool:
        """Return whether `ruleset` has nothing left to parse or compute for these rules."""
        return not is_changes(variant) or (game, variant) in self._named

    def _stored_changed(self, game: str, variant: str, digest: str) -> Ruleset:
        """Return changed rules with this digest, based on the standard rules of any release."""
        known = self._changed.get(digest)
        if known is not None and (known.game, known.variant) == (game, variant):
            return self._keep(known)
        for each in self._rules.values():
            if (each.game, each.variant) == (game, STANDARD):
                with suppress(RulesetError):
                    found = self._changed_by(each.rules, game, variant)
                    if found.digest == digest:
                        return found
        raise UnknownRulesError(f"The rules {digest} of {game}, {variant}, are unknown here.")

    def _changed_by(self, base: Rules, game: str, changes: str) -> Ruleset:
        """Return the single object for changed rules, which lives as long as it is referenced."""
        rules = changed_rules(game, base, changes)
        digest = digest_of(game, changes, rules)
        found = self._changed.get(digest)
        if found is None:
            found = self._changed[digest] = Ruleset(game, changes, rules)
        return self._keep(found)

    def _keep(self, changed: Ruleset) -> Ruleset:
        if changed.digest not in self._latest:
            self._latest[changed.digest] = changed
            self._kept += changed.size
        self._latest.move_to_end(changed.digest)
        while self._kept > MAX_KEPT:
            _, oldest = self._latest.popitem(last=False)
            self._kept -= oldest.size
        return changed

    def _ready(self, digest: str) -> Ruleset:
        found = self._rulesets.get(digest)
        if found is None:
            found = self._rulesets[digest] = Ruleset(*self._rules[digest])
        return found

    def exported(self) -> dict[str, Any]:
        """Return all rules as JSON values, for other implementations to read.

        Every variant is complete: merged with the standard rules, with defaults for missing keys.
        """
        return {
            "games": [
                {
                    "id": game.id,
                    "name": game.name,
                    "listing": {**asdict(game.listing), "limit": game.listing.limit},
                    "variants": [
                        {
                            "id": variant,
                            "name": game.variant_names[variant],
                            "digest": self._current[game.id, variant],
                            "rules": asdict(rules),
                        }
                        for variant, rules in game.variants.items()
                    ],
                }
                for game in self.games.values()
            ],
            "unlisted": [
                {"digest": digest, **self._rules[digest]._asdict()}
                | {"rules": asdict(self._rules[digest].rules)}
                for digest in self.unlisted
            ],
        }


def _by_digest(games: Iterable[Game]) -> dict[str, _Rules]:
    return {
        digest_of(game.id, variant, rules): _Rules(game.id, variant, rules)
        for game in games
        for variant, rules in game.variants.items()
    }


def load_game(game: str, text: str) -> Game:
    """Parse a game's file, whose name without `.toml` is the game's id.

    Raises:
        RulesetError: the text is not TOML, or not a valid ruleset.
    """
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of too many digits is a ValueError
        raise RulesetError(f"{game}: is not TOML: {error}") from error
    return read_game(game, document)


def load_catalog(folder: Traversable) -> Catalog:
    """Read a folder like `games/`.

    Raises:
        RulesetError: a file is not a ruleset.
    """
    unlisted = folder / "unlisted"
    others = [
        game
        for each in (unlisted.iterdir() if unlisted.is_dir() else ())
        if each.is_dir()
        for game in _games_in(each, each.name)
    ]
    return Catalog(_games_in(folder), others)


def _games_in(folder: Traversable, game: str | None = None) -> Iterator[Game]:
    """Yield the games in a folder's files, which are named after games unless `game` is given."""
    for entry in folder.iterdir():
        if entry.name.endswith(".toml"):
            name = entry.name.removesuffix(".toml") if game is None else game
            yield load_game(name, entry.read_text(encoding="utf-8"))


@cache
def catalog() -> Catalog:
    """Return the catalogue of this package, read once."""
    return load_catalog(files(__package__) / "games")


def games() -> Mapping[str, Game]:
    """Return the playable games by id, in listing order."""
    return catalog().games


def in_order(of: Container[str]) -> list[str]:
    """Return the ids of some games in listing order."""
    return [game for game in games() if game in of]


def daily_games() -> tuple[str, ...]:
    """Return the ids of the default dailies in listing order; operators can choose others."""
    return tuple(game.id for game in games().values() if game.listing.daily is not None)


def race_variant(game: str) -> str:
    """Return the id of the variant that is offered first for races; `STANDARD` if it is gone."""
    found = games().get(game)
    return found.listing.race if found is not None else STANDARD


def race_limit(game: str) -> int:
    """Return the usual time limit of a game's races in minutes; the default's if it is gone."""
    found = games().get(game)
    return (found.listing if found is not None else Listing()).limit


def headway_of(game: str) -> Headway:
    """Return what races of a game count besides cards home; nothing in a game that is gone."""
    found = games().get(game)
    return found.listing.headway if found is not None else "none"


def daily_variant(game: str) -> str:
    """Return the id of the variant that a game's new dailies are dealt by."""
    return games()[game].listing.daily or STANDARD


def daily_ruleset(game: str) -> Ruleset:
    """Return the rules for new dailies of a game."""
    return ruleset(game, daily_variant(game))


def ruleset(game: str, variant: str = STANDARD) -> Ruleset:
    """Return the rules for new deals of a game; see `Catalog.ruleset`."""
    return catalog().ruleset(game, variant)


def is_known(game: str, digest: str) -> bool:
    """Return whether rules are those of a listed variant of a game; see `Catalog.knows`."""
    return catalog().knows(game, digest)


def is_ready(game: str, variant: str) -> bool:
    """Return whether a variant's rules are ready; see `Catalog.is_ready`."""
    return catalog().is_ready(game, variant)


def stored_ruleset(game: str, variant: str, digest: str) -> Ruleset:
    """Return the rules of a stored attempt or deal; see `Catalog.stored_ruleset`."""
    return catalog().stored_ruleset(game, variant, digest)


def exported() -> dict[str, Any]:
    """Return the rules of all games as JSON values; see `Catalog.exported`."""
    return catalog().exported()
