"""A player's history as the fields of its hash. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import product
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from engine.catalog import games
from server.base.core.ids import DealId
from server.results.core.contests import Lately
from server.results.core.excerpt import Excerpt, Totals, better
from server.results.core.history import DayResult, History, RoundResult, Sums
from server.results.core.races import Race

VERSION: Final = "v"
KEPT: Final = "kept"

_DAY = msgspec.json.Decoder(DayResult)
_ROUND = msgspec.json.Decoder(RoundResult)
_SUMS = msgspec.json.Decoder(Sums)
_TOTALS = msgspec.json.Decoder(Totals)
_CLAIM = msgspec.json.Decoder(Race)
_LATELY = msgspec.json.Decoder(Lately)
_ENCODER = msgspec.json.Encoder()


class Whole(NamedTuple):
    """All of a history.

    Attributes:
        history: the history.
        stored: the totals that are stored with it; none if it was written without.
        totals: those that follow from its results.
        next_best: the best results by game if one that is the best is not counted.
        claims: as in an excerpt, like `lately`.
    """

    history: History
    stored: Mapping[str, Totals]
    totals: Mapping[str, Totals]
    next_best: Mapping[str, int | None]
    claims: Mapping[str, Race]
    lately: Mapping[str, Lately]

    def excerpt(
        self,
        totals: Mapping[str, Totals],
        days: Collection[int],
        rounds: Collection[tuple[str, DealId]],
    ) -> Excerpt:
        """Return an excerpt with either totals, some days of all games, and all rounds of some."""
        of, asked = self.history, {game for game, _ in rounds}
        return Excerpt(
            of.version,
            of.kept,
            {key: of.days[key] for key in product(games(), days) if key in of.days},
            {key: result for key, result in of.rounds.items() if key[0] in asked},
            of.sums,
            totals,
            self.claims,
            self.lately,
            self.next_best,
        )


class Reading:
    """A history whose fields are read some at a time, in any order, and some more than once.

    Fields of unknown kinds are ignored.

    Args:
        counts: whether the totals are computed: those of an excerpt would say nothing.
    """

    def __init__(self, *, counts: bool = True) -> None:
        self._counts = counts
        self._version = 0
        self._kept: int | None = None
        self._days: dict[tuple[str, int], DayResult] = {}
        self._rounds: dict[tuple[str, DealId], RoundResult] = {}
        self._sums: dict[str, Sums] = {}
        self._stored: dict[str, Totals] = {}
        self._claims: dict[str, Race] = {}
        self._lately: dict[str, Lately] = {}
        self._totals: dict[str, Totals] = {}
        self._next_best: dict[str, int | None] = {}
        self._others: set[str] = set()

    @property
    def size(self) -> int:
        """How many fields have been read."""
        return len(self._days) + len(self._rounds) + len(self._others)

    def add(self, fields: Mapping[str, str]) -> None:
        """Read some fields."""
        for field, text in fields.items():
            match field.split(":"):
                case ["d", game, number]:
                    if (day := (game, int(number))) not in self._days:
                        result = self._days[day] = _DAY.decode(text)
                        self._count(game, result)
                case ["r", game, deal]:
                    if (key := (game, DealId(deal))) not in self._rounds:
                        round_ = self._rounds[key] = _ROUND.decode(text)
                        self._count(game, round_)
                case parts if field not in self._others:
                    self._others.add(field)
                    self._add(parts, text)

    def _add(self, parts: list[str], text: str) -> None:
        match parts:
            case ["s", game]:
                sums = self._sums[game] = _SUMS.decode(text)
                self._count(game, sums)
            case ["t", game]:
                self._stored[game] = _TOTALS.decode(text)
            case ["c", game]:
                self._claims[game] = _CLAIM.decode(text)
            case ["l", game]:
                self._lately[game] = _LATELY.decode(text)
            case ["v"]:
                self._version = int(text)
            case ["kept"]:
                self._kept = int(text)

    def _count(self, game: str, result: DayResult | RoundResult | Sums) -> None:
        """Note the totals with one more result, and which is the best but one."""
        if not self._counts:
            return
        before = self._totals.get(game, _NOTHING)
        match result:
            case DayResult():
                totals, record = before.with_day(result), result.record
            case RoundResult():
                totals, record = before.with_round(result), result.record
            case Sums():
                totals, record = before.with_sums(result), result.best
        worse = record if totals.best == before.best else before.best
        self._next_best[game] = better(self._next_best.get(game), worse)
        self._totals[game] = totals

    def whole(self) -> Whole:
        """Return the history, if all of it has been read."""
        history = History(self._version, self._kept, self._days, self._rounds, self._sums)
        counted = self._stored, self._totals, self._next_best
        return Whole(history, *counted, self._claims, self._lately)

    def excerpt(self) -> Excerpt:
        """Return what has been read."""
        results = self._days, self._rounds, self._sums
        return Excerpt(
            self._version, self._kept, *results, self._stored, self._claims, self._lately
        )


_NOTHING = Totals()


def whole_of(fields: Mapping[str, str]) -> Whole:
    """Return the history in all the fields of its hash."""
    reading = Reading()
    reading.add(fields)
    return reading.whole()


def excerpt_of(names: Iterable[str], texts: Iterable[str | None]) -> Excerpt:
    """Return the excerpt in some fields, with `None` for those that there are not."""
    reading = Reading(counts=False)
    reading.add({name: text for name, text in zip(names, texts, strict=True) if text is not None})
    return reading.excerpt()


def names_of(days: Iterable[int], rounds: Iterable[tuple[str, DealId]]) -> list[str]:
    """Return the fields of an excerpt with some days of all games, and with some rounds."""
    rounds = list(rounds)
    return [
        VERSION,
        KEPT,
        *(f"t:{game}" for game in games()),
        *(f"d:{game}:{day}" for game, day in product(games(), days)),
        *(f"{kind}:{game}" for game, _ in rounds for kind in "scl"),
        *(f"r:{game}:{deal}" for game, deal in rounds),
    ]


def changes(before: Excerpt, after: Excerpt) -> dict[str, str | None]:
    """Return the fields that differ, with their new text, or `None` for those that are gone.

    What is the same object in both is not looked at.
    """
    found: dict[str, str | None] = {}
    if before.kept != after.kept:
        found[KEPT] = None if after.kept is None else str(after.kept)
    for kind in ("days", "rounds", "sums", "totals", "claims", "lately"):
        old, new = getattr(before, kind), getattr(after, kind)
        if old is new:
            continue
        found |= {_name(kind, key): None for key in old.keys() - new.keys()}
        found |= {
            _name(kind, key): _text(value)
            for key, value in new.items()
            if (was := old.get(key)) is not value and was != value
        }
    return found


def _name(kind: str, key: str | tuple[str, int | str]) -> str:
    """Return the field of a result, or of the sums or totals of a game."""
    return ":".join([kind[0], *([key] if isinstance(key, str) else map(str, key))])


def _text(value: Struct) -> str:
    return _ENCODER.encode(value).decode()
