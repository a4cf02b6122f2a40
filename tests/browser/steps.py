"""Steps that several browser tests have in common."""

from __future__ import annotations

import time

from tests.browser.friend import Friend
from tests.browser.player import Player
from tests.processes import PATIENCE


def start_daily(player: Player, game: str | None = "robert") -> None:
    """Start a game's daily, or the one whose start is shown."""
    if game is not None:
        player.go(f"/daily/{game}")
    player.press("play-daily")
    player.wait_for_board()


def start_round(host: Player, *others: Player) -> None:
    host.press("start-round")
    for player in (host, *others):
        player.wait_for_board()


def start_alone(player: Player) -> None:
    """Start a race of Robert without opponents."""
    player.open_room("robert", seats=1)
    start_round(player)


def play_daily_without_page(player: Player, home: int, circle: str = "") -> str:
    """Play the day's Robert until this many cards are home, and return the attempt's id.

    With the URL of a circle, wait until its table has the result, which is stored later.
    """
    with player.without_page() as friend:
        friend.open_daily()
        friend.play_robert(home)
        friend.give_up()
        until = time.monotonic() + PATIENCE
        while circle and not _has_result(friend, circle.rsplit("/", 1)[-1]):
            assert time.monotonic() < until
            time.sleep(0.05)
        return friend.attempt


def _has_result(friend: Friend, circle: str) -> bool:
    table = friend.ask("GetCircleTable", circle=circle, span="day")
    mine = friend.token.partition(".")[0]
    return any(row["dailies"] for row in table["rows"] if row["player"]["id"] == mine)


def play_challenge_without_page(player: Player, link: str, home: int) -> None:
    with player.without_page() as friend:
        friend.open_challenge(link)
        friend.play_robert(home)
        friend.give_up()


def id_of(player: Player) -> str:
    """Return a player's id, which is the start of the token."""
    token: str = player.page.evaluate("localStorage.getItem('samedeal.token')")
    return token.partition(".")[0]


def names_in(player: Player) -> list[str]:
    """Return the names in a circle's table, from the top."""
    return [row.split("#")[0].strip() for row in player.see("look-at").all_inner_texts()]
