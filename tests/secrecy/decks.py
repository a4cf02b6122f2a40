"""Decks of the clients' three deals, on the first and on the second server."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import accumulate
from typing import Literal

from engine import deal as dealing
from engine.board import Board, view_of
from engine.notation import parse_move
from engine.ruleset import Ruleset
from server.base.core.ids import AttemptId, DealId, PlayerId, RoomCode
from server.base.core.refusal import Refusal
from server.base.journals.reader import rules_of
from server.deals import store as deals_module
from server.deals.core.certificate import Certificate
from server.deals.store import Deal, DealStore
from server.play import journal as play_journal
from server.play.core import attempt as core
from server.play.core.attempt import Attempt, Event, Hinted, Moved, Started, Undone
from server.rooms import journal as rooms_journal
from server.rooms.core import events as race_events
from server.rooms.core.events import RoundStarted
from server.runs import runs
from tests.faults.stored import Stored
from tests.simulation.race import patched

Kind = Literal["room", "daily", "challenge"]
"""The deal of the room's first round, of the daily, or of the first challenge."""

Decks = Mapping[Kind, bytes]
"""By kind, all cards in dealing order."""

WATCH_DELAY_MS = 1_000
"""Milliseconds of delay for spectators on these servers."""

SWAPS = 25
"""Swaps of two cards attempted per second deck. Only a few succeed."""

NEVER = math.inf


def deck(rules: Ruleset, seed: int) -> bytes:
    """Return a shuffled deck."""
    cards = bytearray(rules.pack)
    random.Random(seed).shuffle(cards)
    return bytes(cards)


class Dealer:
    """Deals given decks, with seeds that are secret to this dealer.

    Commitments are the same for all dealers, because they are public by design.

    Attributes:
        deals: the kind of each deal.
        drawn: the deals with their seeds.
    """

    def __init__(self, decks: Decks, daily_game: str, secret: bytes) -> None:
        self.deals: dict[DealId, Kind] = {}
        self.drawn: dict[DealId, Deal] = {}
        self._decks = decks
        self._daily_game = daily_game
        self._secret = secret
        self._dealt: dict[bytes, bytes] = {}

    @contextmanager
    def dealing(self) -> Iterator[None]:
        """Make all nodes deal these decks within the context."""
        store, first_board = DealStore._store, dealing.deal_seed

        async def store_this(deals: DealStore, deal: Deal, life: int | None = None) -> Deal:
            return await store(deals, self._drawn(deal), life)

        def deal_this(rules: Ruleset, seed: bytes) -> Board:
            known = self._dealt.get(seed)
            return first_board(rules, seed) if known is None else dealing.lay_out(rules, known)

        with (
            patched(DealStore, "_store", store_this),
            patched(deals_module, "commitment", self._commitment),
            patched(play_journal, "deal_seed", deal_this),
            patched(runs, "deal_seed", deal_this),
        ):
            yield

    def _drawn(self, deal: Deal) -> Deal:
        kind: Kind | None = None
        if deal.room is not None and "room" not in self.deals.values():
            kind = "room"
        elif deal.occasion is not None and "challenge" not in self.deals.values():
            kind = "challenge"
        elif deal.day is not None and deal.game == self._daily_game:
            # Each node may draw a daily; the first one stored counts.
            kind = "daily"
        if kind is None:
            return deal
        self.deals[deal.id] = kind
        seed = sha256(self._secret + deal.seed).digest()
        self._dealt[seed] = self._decks[kind]
        public = self._commitment(deal.id, seed)
        drawn = replace(deal, seed=seed, commitment=public)
        if kind == "daily":
            # The certificate's text is public and the same for all decks.
            line = sha256(seed).hexdigest()
            drawn = replace(
                drawn, certificate=Certificate(winnable=True, par=9, level=2), line=line
            )
        self.drawn[deal.id] = drawn
        return drawn

    def _commitment(self, deal: str, seed: bytes) -> str:
        return dealing.commitment(deal, bytes(32) if seed in self._dealt else seed)


@dataclass(frozen=True)
class Played:
    """An attempt with its journal."""

    id: AttemptId
    kind: Kind
    events: Sequence[Event]

    @property
    def start(self) -> Started:
        """The first entry."""
        start = self.events[0]
        assert isinstance(start, Started)
        return start

    @property
    def player(self) -> PlayerId:
        """The attempt's player."""
        return self.start.player

    def states(self, decks: Decks) -> list[Attempt]:
        """Return the attempt after each entry, replayed on the given decks."""
        start = self.start
        rules = rules_of(start.game, start.variant, start.rules)
        first = core.begin(start, dealing.lay_out(rules, decks[self.kind]))
        return list(accumulate(self.events[1:], core.fold, initial=first))

    def is_same_on(self, decks: Decks, before: Sequence[Attempt]) -> bool:
        """Return whether all moves are legal on these decks and reach the same results.

        Args:
            decks: the other decks.
            before: the states on the original decks.
        """
        start = self.start
        rules = rules_of(start.game, start.variant, start.rules)
        state = core.begin(start, dealing.lay_out(rules, decks[self.kind]))
        for event, known in zip(self.events[1:], before[1:], strict=True):
            try:
                after = _decided_again(state, event)
            except Refusal:
                return False
            if after is None or after.result != known.result:
                return False
            state = after
        return True


def _decided_again(state: Attempt, event: Event) -> Attempt | None:
    """Return the attempt after an entry if the rules decide on the same entry, else `None`.

    Raises:
        Refusal: the rules do not allow it.
    """
    decided: Event | None = event
    match event:
        case Moved(move=text, at=at):
            decided = core.play(state, parse_move(state.board.ruleset, text), at).event
        case Undone(at=at):
            decided = core.undo(state, at).event
        case Hinted(at=at):
            decided = core.hint(state, at)
    return core.fold(state, event) if decided == event else None


@dataclass(frozen=True)
class Facts:
    """The played games, from the journals.

    Attributes:
        attempts: all players' attempts at the three deals.
        deals: see `Dealer`.
        over: when the round ended, in Unix milliseconds, or `NEVER`.
        runners: the round's runners.
        watching: by spectator, the start of their permission to watch.
        sealed: whether a challenge reuses the round's deal. Players outside the round then see
            nothing of it before they finish the challenge.
        again: whether the room had another round, which the runners' totals may include.
    """

    attempts: Sequence[Played]
    deals: Mapping[DealId, Kind]
    over: float
    runners: frozenset[PlayerId]
    watching: Mapping[PlayerId, float]
    sealed: bool
    again: bool

    def done(self, player: PlayerId, kind: Kind) -> float:
        """Return when a player's attempt at a deal ended, in Unix milliseconds, or `NEVER`."""
        own = [each for each in self.attempts if (each.player, each.kind) == (player, kind)]
        return min(map(_end, own), default=NEVER)

    def without(self, player: PlayerId, until: float) -> list[tuple[AttemptId, list[Event]]]:
        """Return the other players' attempts with their entries before `until`."""
        return [
            (each.id, [event for event in each.events if event.at < until])
            for each in self.attempts
            if each.player != player
        ]


def facts_of(
    stored: Stored,
    deals: Mapping[DealId, Kind],
    code: RoomCode,
    has_key: frozenset[PlayerId],
    *,
    sealed: bool,
) -> Facts:
    """Extract the facts from the stored journals.

    Args:
        stored: everything in the server's storage.
        deals: see `Dealer`.
        code: the clients' room.
        has_key: holders of the room's watch key.
        sealed: see `Facts`.
    """
    attempts = [
        Played(AttemptId(id_), deals[deal], [play_journal.decode(text) for _, text in entries])
        for id_, entries in sorted(stored.attempts.items())
        if (deal := DealId(id_.partition(".")[0])) in deals
    ]
    events = [rooms_journal.decode(text) for _, text in stored.rooms.get(code, [])]
    started = [event for event in events if isinstance(event, RoundStarted)]
    runners = frozenset(started[0].players if started else ())
    # Seat holders need no key.
    seats = [each for each in reversed(events) if isinstance(each, race_events.SeatTaken)]
    seated = {each.player: each.at for each in seats}
    watching = {**seated, **dict.fromkeys(has_key, 0)}
    ends = {each.player: _end(each) for each in attempts if each.kind == "room"}
    over = max((ends.get(player, NEVER) for player in runners), default=NEVER)
    return Facts(attempts, deals, over, runners, watching, sealed, len(started) > 1)


def _end(played: Played) -> float:
    """Return when an attempt ended, in Unix milliseconds, or `NEVER`."""
    last = played.events[-1]
    ended = isinstance(last, core.Ended) or (isinstance(last, Moved) and last.end is not None)
    return last.at if ended else NEVER


class Twins:
    """Finds decks that differ only in cards the viewer has not seen.

    Args:
        facts: the games on the first decks.
        decks: the first decks.
        viewer: the viewer.
    """

    def __init__(self, facts: Facts, decks: Decks, viewer: PlayerId) -> None:
        self._facts = facts
        self._decks = decks
        self._viewer = viewer
        self._states = [each.states(decks) for each in facts.attempts]
        self._done = facts.done(viewer, "room")
        self._challenge_done = facts.done(viewer, "challenge")
        self._outside = facts.sealed and viewer not in facts.runners

    def find(self, rng: random.Random, least: float, most: float) -> tuple[Decks, float] | None:
        """Return other decks, and when the viewer is first shown a differing card.

        The time is from `least` to `most`, in Unix milliseconds. Returns `None` if no swap
        succeeds.
        """
        best: tuple[Decks, float] | None = None
        decks = self._decks
        for _ in range(SWAPS):
            kind = rng.choice(list(decks))
            other = {**decks, kind: _swapped(decks[kind], rng)}
            shown = self.shown_at(other)
            if other != decks and least <= shown <= most and self._others_are_same(other):
                best, decks = (other, shown), other
        return best

    def _others_are_same(self, decks: Decks) -> bool:
        return all(
            each.is_same_on(decks, states)
            for each, states in zip(self._facts.attempts, self._states, strict=True)
            if each.player != self._viewer and decks[each.kind] != self._decks[each.kind]
        )

    def shown_at(self, decks: Decks) -> float:
        """Return when the viewer is first shown a differing card, in Unix milliseconds."""
        facts = self._facts
        # At this time the seed is revealed, which always differs.
        shown = min(self._done if self._outside else facts.over, self._challenge_done)
        for played, states in zip(facts.attempts, self._states, strict=True):
            if decks[played.kind] == self._decks[played.kind]:
                continue
            for event, state, other in zip(
                played.events, states, played.states(decks), strict=True
            ):
                if view_of(state.board) != view_of(other.board):
                    shown = min(shown, self._sees(played, event.at))
                    break
        return shown

    def _sees(self, played: Played, at: float) -> float:
        """Return when the rules show the viewer a move played at a time."""
        if played.player == self._viewer:
            return at
        if played.kind == "daily":
            return NEVER
        if played.kind == "challenge":
            return max(at, self._challenge_done)
        if self._viewer in self._facts.runners or self._outside:
            return max(at, self._done)
        return max(at + WATCH_DELAY_MS, self._facts.watching.get(self._viewer, NEVER))


def _swapped(cards: bytes, rng: random.Random) -> bytes:
    """Return a deck with two cards swapped."""
    one, two = rng.sample(range(len(cards)), 2)
    order = bytearray(cards)
    order[one], order[two] = order[two], order[one]
    return bytes(order)
