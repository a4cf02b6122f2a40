"""Servers with one leak each, to test that the leak is detected."""

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
from server.challenges.recorder import ChallengeRecorder
from server.deals.store import Deal
from server.play.attempts import Attempts
from server.play.core import attempt as core
from server.request import Handler, NodeRequest
from server.rooms.core.room import Room
from server.runs.closed_deals import ClosedDeals
from server.watching.core import sight
from server.watching.core.sight import Sight
from server.watching.watching import Watching
from tests.simulation.race import patched


def _hidden(board: Board) -> int:
    """Return a number that depends on the face-down cards."""
    hidden = (card for pile in board.piles for card in pile if card & DOWN)
    return sum(place * card for place, card in enumerate(hidden, 1))


@contextmanager
def words_refusals_by_hidden_cards() -> Iterator[None]:
    """Make a refusal's text longer on some boards."""

    def worded(board: Board, move: Move) -> tuple[Board, Delta]:
        try:
            return play(board, move)
        except IllegalMoveError as error:
            raise IllegalMoveError(f"{error}{' ' * (_hidden(board) % 7)}") from error

    with patched(core, "play_move", worded):
        yield


@contextmanager
def logs_hidden_cards() -> Iterator[None]:
    """Log each journal entry with a number derived from its board."""
    appended: Any = Attempts._appended

    def logged(self: Any, before: Any, after: core.Attempt, append: Any) -> None:
        structlog.get_logger().debug("appended", board=_hidden(after.board))
        appended(self, before, after, append)

    with patched(Attempts, "_appended", logged):
        yield


@contextmanager
def takes_longer_for_some_cards() -> Iterator[None]:
    """Make reading an attempt take longer for some hidden cards."""

    async def later(handle: Handler, request: NodeRequest[Any, Any]) -> Any:
        event = await handle(request)
        latest = request.session.shown.latest
        attempt = await request.services.attempts.find(latest) if latest else None
        await asyncio.sleep(_hidden(attempt.board) % 50 / 1000 if attempt else 0)
        return event

    slow = {command: partial(later, handle) for command, handle in handlers.HANDLERS.items()}
    with patched(handlers, "HANDLERS", slow):
        yield


@contextmanager
def shows_racers_other_boards() -> Iterator[None]:
    """Let any player watch a round without delay."""

    def live(room: Room, player: PlayerId, *, has_key: bool) -> Sight:
        del room, player, has_key
        return "live"

    with patched(sight, "sight", live):
        yield


@contextmanager
def reveals_seeds_early() -> Iterator[None]:
    """Show the seed and runs of a deal before it closes."""
    show = ClosedDeals.load

    async def early(
        self: ClosedDeals, deal_id: DealId, viewer: PlayerId | None = None
    ) -> tuple[Deal, bytes | None]:
        deal, _ = await show(self, deal_id, viewer)
        return deal, deal.seed

    with patched(ClosedDeals, "load", early):
        yield


@contextmanager
def shows_challenges_to_unfinished_players() -> Iterator[None]:
    """Show a challenge's runs to players who have not finished it."""

    def begun(self: Challenge, viewer: PlayerId | None) -> bool:
        return viewer in self.players

    with patched(Challenge, "shows_results", begun):
        yield


@contextmanager
def shows_deals_used_by_a_challenge() -> Iterator[None]:
    """Show a race's deal when the race ends, even if a challenge uses it."""

    async def whenever(self: ClosedDeals, deal: DealId, viewer: PlayerId | None) -> bool:
        return True

    with patched(ClosedDeals, "_is_open", whenever):
        yield


@contextmanager
def shows_boards_of_deals_used_by_a_challenge() -> Iterator[None]:
    """Let a spectator with a seat watch a race whose deal a challenge uses."""

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
def shows_results_in_rooms_to_players_of_the_challenge() -> Iterator[None]:
    """Show race results to newcomers to the room, even if a challenge uses the deal."""
    with _shows_results_to(lambda viewer: viewer is not None):
        yield


@contextmanager
def shows_results_on_pages_to_players_of_the_challenge() -> Iterator[None]:
    """List all races on a player's page, even if a challenge uses the deal."""
    with _shows_results_to(lambda viewer: viewer is None):
        yield


@contextmanager
def counts_races_with_an_open_challenge_in_totals() -> Iterator[None]:
    """Rank runners by a race on leaderboards, even if a challenge uses the deal."""

    async def never(self: ChallengeRecorder, event: object) -> None:
        pass

    with patched(ChallengeRecorder, "withhold", never):
        yield


@contextmanager
def ends_attempts_by_hidden_cards() -> Iterator[None]:
    """End an attempt as stuck when certain unseen cards are left."""

    def knows(board: Board) -> bool:
        return _hidden(board) % 10 == 0

    with patched(core, "is_stuck", knows):
        yield


BROKEN: dict[Callable[[], AbstractContextManager[None]], int] = {
    words_refusals_by_hidden_cards: 20,
    logs_hidden_cards: 0,
    takes_longer_for_some_cards: 0,
    shows_racers_other_boards: 2,
    reveals_seeds_early: 1,
    shows_challenges_to_unfinished_players: 18,
    shows_deals_used_by_a_challenge: 6,
    shows_boards_of_deals_used_by_a_challenge: 9,
    shows_results_in_rooms_to_players_of_the_challenge: 18,
    shows_results_on_pages_to_players_of_the_challenge: 9,
    counts_races_with_an_open_challenge_in_totals: 9,
    ends_attempts_by_hidden_cards: 31,
}
"""All of them, each with the seed of a script that detected it. That script runs first."""
