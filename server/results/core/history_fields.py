"""The encoding of a player's history as fields of a Redis hash."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from engine.catalog import games
from server.base.core.ids import DealId
from server.results.core.contests import Lately
from server.results.core.excerpt import Excerpt, Totals
from server.results.core.history import (
    ChallengeResult,
    DayResult,
    History,
    RoundResult,
    Sums,
    Withheld,
)
from server.results.core.played_days import DayBests, PlayedDays, Tally, latest
from server.results.core.race_results import Race

VERSION: Final = "v"
KEPT: Final = "kept"
_WITHHELD: Final = "w"

_DAY = msgspec.json.Decoder(DayResult)
_ROUND = msgspec.json.Decoder(RoundResult)
_CHALLENGE = msgspec.json.Decoder(ChallengeResult)
_SUMS = msgspec.json.Decoder(Sums)
_TOTALS = msgspec.json.Decoder(Totals)
_PLAYED = msgspec.json.Decoder(PlayedDays)
_HELD = msgspec.json.Decoder(tuple[DealId, ...])
_CLAIM = msgspec.json.Decoder(Race)
_LATELY = msgspec.json.Decoder(Lately)
_HELD_BACK = msgspec.json.Decoder(dict[str, Withheld])
_ENCODER = msgspec.json.Encoder()


class Derived(NamedTuple):
    """Values derived from a history's results and stored with them, as in an excerpt."""

    totals: Mapping[str, Totals]
    played: Mapping[str, PlayedDays]
    held: Mapping[str, tuple[DealId, ...]]


class Whole(NamedTuple):
    """All of a history."""

    history: History
    # The derived values as stored; empty if written by a release that did not store them.
    stored: Derived
    computed: Derived  # the derived values as computed from the results
    next_days: Mapping[str, DayBests]  # the second-best results of dailies, by game
    claims: Mapping[str, Race]  # as in an excerpt; likewise `lately`
    lately: Mapping[str, Lately]

    def excerpt(
        self,
        derived: Derived,
        days: Collection[int],
        rounds: Collection[tuple[str, DealId]],
    ) -> Excerpt:
        """Return an excerpt with days of all games, and all rounds of the games in `rounds`."""
        of, asked = self.history, {game for game, _ in rounds}
        excerpt = self.all(derived)
        return replace(
            excerpt,
            days={key: of.days[key] for key in product(games(), days) if key in of.days},
            rounds={key: result for key, result in of.rounds.items() if key[0] in asked},
        )

    def all(self, derived: Derived) -> Excerpt:
        """Return an excerpt that contains everything."""
        of = self.history
        return Excerpt(
            *(of.version, of.kept, of.days, of.rounds, of.sums, of.challenges, of.withheld),
            *(derived.totals, self.claims, self.lately, derived.played, derived.held),
            *(of, self.next_days),
        )


class Reading:
    """A history under construction from fields read in batches, in any order, possibly repeated.

    Unknown kinds of fields are ignored. Without `counts`, totals are not computed, since they are
    meaningless for an excerpt.
    """

    def __init__(self, *, counts: bool = True) -> None:
        self._counts = counts
        self._version = 0
        self._kept: int | None = None
        self._days: dict[tuple[str, int], DayResult] = {}
        self._rounds: dict[tuple[str, DealId], RoundResult] = {}
        self._challenges: dict[tuple[str, DealId], ChallengeResult] = {}
        self._sums: dict[str, Sums] = {}
        self._stored: dict[str, Totals] = {}
        self._claims: dict[str, Race] = {}
        self._lately: dict[str, Lately] = {}
        self._played: dict[str, PlayedDays] = {}
        self._held: dict[str, tuple[DealId, ...]] = {}
        self._totals: dict[str, Totals] = {}
        self._tallies: defaultdict[str, Tally] = defaultdict(Tally)
        self._withheld: dict[str, Withheld] = {}
        self._others: set[str] = set()

    @property
    def size(self) -> int:
        """The number of distinct fields read."""
        results = len(self._days) + len(self._rounds) + len(self._challenges)
        return results + len(self._others)

    def add(self, fields: Mapping[str, str]) -> None:
        """Add a batch of fields."""
        for field, text in fields.items():
            match field.split(":"):
                case ["d", game, number]:
                    if (day := (game, int(number))) not in self._days:
                        result = self._days[day] = _DAY.decode(text)
                        self._count(game, result)
                        if self._counts:
                            self._tallies[game].add(day[1], result)
                case ["r", game, deal]:
                    if (key := (game, DealId(deal))) not in self._rounds:
                        round_ = self._rounds[key] = _ROUND.decode(text)
                        self._count(game, round_)
                case ["x", game, deal]:
                    if (key := (game, DealId(deal))) not in self._challenges:
                        self._challenges[key] = _CHALLENGE.decode(text)
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
            case ["p", game]:
                self._played[game] = _PLAYED.decode(text)
            case ["h", game]:
                self._held[game] = _HELD.decode(text)
            case ["c", game]:
                self._claims[game] = _CLAIM.decode(text)
            case ["l", game]:
                self._lately[game] = _LATELY.decode(text)
            case ["v"]:
                self._version = int(text)
            case ["kept"]:
                self._kept = int(text)
            case ["w"]:
                self._withheld = _HELD_BACK.decode(text)

    def _count(self, game: str, result: DayResult | RoundResult | Sums) -> None:
        """Update a game's totals."""
        if not self._counts:
            return
        before = self._totals.get(game, _NOTHING)
        match result:
            case DayResult():
                self._totals[game] = before.with_day(result)
            case RoundResult():
                self._totals[game] = before.with_round(result)
            case Sums():
                self._totals[game] = before.with_sums(result)

    def whole(self) -> Whole:
        """Return the history, assuming that all fields have been read."""
        history = History(
            *(self._version, self._kept, self._days, self._rounds, self._sums),
            *(self._challenges, self._withheld),
        )
        stored = Derived(self._stored, self._played, self._held)
        held: defaultdict[str, list[DealId]] = defaultdict(list)
        for game, deal in sorted(self._rounds):
            held[game].append(deal)
        computed = Derived(
            self._totals,
            {game: self._tallies[game].sum() for game in self._totals},
            {game: tuple(deals) for game, deals in held.items()},
        )
        next_days = {game: tally.next_bests for game, tally in self._tallies.items()}
        return Whole(history, stored, computed, next_days, self._claims, self._lately)

    def excerpt(self) -> Excerpt:
        """Return the part read so far."""
        return Excerpt(
            *(self._version, self._kept, self._days, self._rounds, self._sums, self._challenges),
            *(self._withheld, self._stored, self._claims, self._lately, self._played, self._held),
        )


_NOTHING = Totals()


def whole_of(fields: Mapping[str, str]) -> Whole:
    """Return the history for all the fields of its hash."""
    reading = Reading()
    reading.add(fields)
    return reading.whole()


def excerpt_of(names: Iterable[str], texts: Iterable[str | None]) -> Excerpt:
    """Return the excerpt for some fields; `None` is the text of a missing field."""
    reading = Reading(counts=False)
    reading.add({name: text for name, text in zip(names, texts, strict=True) if text is not None})
    return reading.excerpt()


def names_of(
    days: Iterable[int],
    rounds: Iterable[tuple[str, DealId]],
    of: str | None = None,
    challenges: Iterable[tuple[str, DealId]] = (),
    dailies: Collection[str] | None = None,
) -> list[str]:
    """Return the names of the fields for an excerpt.

    `rounds` and `challenges` are pairs of game and deal, `of` is the game of a result to add or
    change, and `dailies` are the games to include for the days, `None` for all.
    """
    rounds = list(rounds)
    of_days = games() if dailies is None else dailies
    return [
        *_names_of_days(tuple(of_days), tuple(days)),
        *(f"{kind}:{game}" for game, _ in rounds for kind in "scl"),
        *(f"r:{game}:{deal}" for game, deal in rounds),
        *(f"x:{game}:{deal}" for game, deal in challenges),
        *([] if of is None else [f"p:{of}", f"h:{of}"] if rounds else [f"p:{of}"]),
    ]


@lru_cache(16)
def _names_of_days(dailies: tuple[str, ...], days: tuple[int, ...]) -> list[str]:
    """Return the names of the fields of each excerpt: the totals, and some days of some games."""
    return [
        VERSION,
        KEPT,
        _WITHHELD,
        *(f"t:{game}" for game in games()),
        *(f"d:{game}:{day}" for game, day in product(dailies, days)),
    ]


def names_of_page() -> list[str]:
    """Return the names of the fields for a player's page, except for individual results."""
    return [VERSION, KEPT, *(f"{kind}:{game}" for game in games() for kind in "tpsh")]


def results_on_page(found: Excerpt, days: int) -> list[str]:
    """Return the names of the fields for the results on a player's page.

    `found` is the excerpt from `names_of_page`, and `days` the number of days to show per game.
    """
    return [
        *(
            f"d:{game}:{day}"
            for game, played in found.played.items()
            for day in latest(played.days_standing, days)
        ),
        *(f"r:{game}:{deal}" for game, deals in found.held.items() for deal in deals),
    ]


# The prefixes of field names, by attribute of an excerpt.
_KINDS: Final = {
    "days": "d",
    "rounds": "r",
    "challenges": "x",
    "sums": "s",
    "totals": "t",
    "played": "p",
    "held": "h",
    "claims": "c",
    "lately": "l",
}


def changes(before: Excerpt, after: Excerpt) -> dict[str, str | None]:
    """Return the changed fields with their new text; `None` deletes a field."""
    found: dict[str, str | None] = {}
    if before.kept != after.kept:
        found[KEPT] = None if after.kept is None else str(after.kept)
    if before.withheld != after.withheld:
        found[_WITHHELD] = _text(after.withheld) if after.withheld else None
    for kind in _KINDS:
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
    return ":".join([_KINDS[kind], *([key] if isinstance(key, str) else map(str, key))])


def _text(value: Struct | tuple[DealId, ...] | Mapping[str, Withheld]) -> str:
    return _ENCODER.encode(value).decode()
