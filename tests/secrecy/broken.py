"""Servers that break the law in one way each, to test that this is detected."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any

import structlog

from engine.board import Board, Delta
from engine.cards import DOWN
from engine.errors import IllegalMoveError
from engine.play import play
from engine.ruleset import Move
from server import handlers
from server.base.core.ids import DealId, PlayerId
from server.challenges.core.challenge import Challenge
from server.deals.store import Deal
from server.play.core import attempt as core
from server.play.journal import AttemptDefinition
from server.request import Handler, Request
from server.rooms.core.room import Room
from server.runs.closed_deals import ClosedDeals
from server.watching.core import sight
from server.watching.core.sight import Sight
from server.watching.watching import Watching
from tests.simulation.race import patched


def _hidden(board: Board) -> int:
    """Return a number that depends on the cards that lie face down."""
    hidden = (card for pile in board.piles for card in pile if card & DOWN)
    return sum(place * card for place, card in enumerate(hidden, 1))


@contextmanager
def words_refusals_by_a_hidden_card() -> Iterator[None]:
    """The sentence of a refusal is longer on some boards."""

    def worded(board: Board, move: Move) -> tuple[Board, Delta]:
        try:
            return play(board, move)
        except IllegalMoveError as error:
            raise IllegalMoveError(f"{error}{' ' * (_hidden(board) % 7)}") from error

    with patched(core, "play_move", worded):
        yield


@contextmanager
def logs_hidden_cards() -> Iterator[None]:
    """Each entry is logged with something that follows from its board."""
    appended: Any = AttemptDefinition.appended

    def logged(self: Any, before: Any, after: core.Attempt, append: Any) -> None:
        structlog.get_logger().debug("appended", board=_hidden(after.board))
        appended(self, before, after, append)

    with patched(AttemptDefinition, "appended", logged):
        yield


@contextmanager
def takes_longer_for_some_cards() -> Iterator[None]:
    """How long an attempt takes to be read depends on its hidden cards."""

    async def later(handle: Handler, request: Request[Any]) -> Any:
        event = await handle(request)
        latest = request.session.shown.latest
        attempt = await request.services.attempts.find(latest) if latest else None
        await asyncio.sleep(_hidden(attempt.board) % 50 / 1000 if attempt else 0)
        return event

    slow = {command: partial(later, handle) for command, handle in handlers.HANDLERS.items()}
    with patched(handlers, "HANDLERS", slow):
        yield


@contextmanager
def shows_racers_the_others_boards() -> Iterator[None]:
    """Everybody who asks may watch at once."""

    def live(room: Room, player: PlayerId, *, has_key: bool) -> Sight:
        del room, player, has_key
        return "live"

    with patched(sight, "sight", live):
        yield


@contextmanager
def tells_seeds_early() -> Iterator[None]:
    """A deal that is not closed is shown with its seed, and so are its runs."""
    show = ClosedDeals.load

    async def early(
        self: ClosedDeals, deal_id: DealId, viewer: PlayerId | None = None
    ) -> tuple[Deal, bytes | None]:
        deal, _ = await show(self, deal_id, viewer)
        return deal, deal.seed

    with patched(ClosedDeals, "load", early):
        yield


@contextmanager
def shows_challenges_to_who_plays_them() -> Iterator[None]:
    """The runs of a challenge are shown to everybody who has begun it."""

    def begun(self: Challenge, viewer: PlayerId | None) -> bool:
        return viewer in self.players

    with patched(Challenge, "shows_results", begun):
        yield


@contextmanager
def shows_deals_of_races_that_are_reserved() -> Iterator[None]:
    """The deal of a race is shown as soon as that is over, also if it is a challenge's."""

    async def whenever(self: ClosedDeals, deal: DealId, viewer: PlayerId | None) -> bool:
        return True

    with patched(ClosedDeals, "_is_open", whenever):
        yield


@contextmanager
def shows_boards_of_races_whose_deal_is_reserved() -> Iterator[None]:
    """Whoever sits out a race watches it also if its deal is a challenge's."""

    def never(self: Watching, deal: DealId) -> bool:
        return False

    with patched(Watching, "is_withheld", never):
        yield


def _shows_results_to(is_viewer: Callable[[PlayerId | None], bool]) -> AbstractContextManager[None]:
    withheld: Any = ClosedDeals.withheld

    async def shown(self: ClosedDeals, raced: Any, viewer: PlayerId | None) -> frozenset[DealId]:
        return frozenset() if is_viewer(viewer) else await withheld(self, raced, viewer)

    return patched(ClosedDeals, "withheld", shown)


@contextmanager
def shows_results_in_rooms_to_who_may_play_the_deal() -> Iterator[None]:
    """Whoever comes to a room sees how its races ended, also on a deal that is a challenge's."""
    with _shows_results_to(lambda viewer: viewer is not None):
        yield


@contextmanager
def shows_results_on_pages_to_who_may_play_the_deal() -> Iterator[None]:
    """A player's page has all races, also on a deal that is a challenge's."""
    with _shows_results_to(lambda viewer: viewer is None):
        yield


@contextmanager
def ends_attempts_by_hidden_cards() -> Iterator[None]:
    """An attempt is stuck as soon as certain cards are left, which nobody has seen."""

    def knows(board: Board) -> bool:
        return _hidden(board) % 10 == 0

    with patched(core, "is_stuck", knows):
        yield


BROKEN: dict[Callable[[], AbstractContextManager[None]], int] = {
    words_refusals_by_a_hidden_card: 20,
    logs_hidden_cards: 0,
    takes_longer_for_some_cards: 0,
    shows_racers_the_others_boards: 2,
    tells_seeds_early: 1,
    shows_challenges_to_who_plays_them: 18,
    shows_deals_of_races_that_are_reserved: 6,
    shows_boards_of_races_whose_deal_is_reserved: 9,
    shows_results_in_rooms_to_who_may_play_the_deal: 18,
    shows_results_on_pages_to_who_may_play_the_deal: 9,
    ends_attempts_by_hidden_cards: 68,
}
"""All of them, each with the seed of a script that has detected it, to be tried first."""
