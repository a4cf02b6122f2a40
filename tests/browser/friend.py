"""Players without a browser, for steps of a journey that no page has to show."""

from __future__ import annotations

import time
from collections import deque
from contextlib import ExitStack
from itertools import count
from types import TracebackType

from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from engine.board import count_home
from engine.moves import legal_moves
from engine.notation import move_text, seen_text
from server.base.wire.session_messages import VERSION
from tests.clients.client import REFUSED_WITHIN
from tests.clients.known import ClientState, Known
from tests.processes import PATIENCE
from tests.wire import Message, Wire

ROBERT = ("w>f0", "s>w", "w>s")
"""The moves of Robert: bring a card home if possible, or else deal, or turn over the waste."""

BUSY = {"overloaded", "unavailable", "players_away", "too_fast"}
"""Codes of refusals after which to try again: a node or the player is too busy, or the node knows
not all members yet."""


class Friend(Known):
    """A player's session without a browser: it takes a hundredth of a page's processor time.

    Args:
        url: the URL of the site.
        name: the name of a new guest.
        token: the token of a known player, such as a `Player`'s.

    Attributes:
        token: the player's.
        attempt: the id of the last attempt.
    """

    def __init__(self, url: str, name: str | None = None, token: str | None = None) -> None:
        super().__init__()
        self._url = url
        self._stack = ExitStack()
        connected = _connected(url.replace("http", "ws", 1) + "/socket")
        self._socket = self._stack.enter_context(connected)
        self._wire = Wire()
        self._ids = count(1)
        self._news: deque[Message] = deque()
        welcome = self.ask("hello", version=VERSION, token=token, name=name)
        self.token = str(welcome["token"])
        self.attempt = ""

    def __enter__(self) -> Friend:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the session: the player is away."""
        self._stack.close()

    def ask(self, type_: str, **fields: object) -> Message:
        """Send a command, and return its answer; fail if it is refused."""
        until = time.monotonic() + REFUSED_WITHIN
        while True:
            number = next(self._ids)
            self._socket.send(self._wire.pack({"type": type_, "id": number, **fields}))
            while (event := self._receive()).get("re") != number:
                self._news.append(event)
            if event["type"] != "refused":
                return event
            assert event["code"] in BUSY, event
            assert time.monotonic() < until, event
            time.sleep(0.1)

    def _receive(self) -> Message:
        frame = self._socket.recv(timeout=PATIENCE)
        assert isinstance(frame, bytes)
        event = self._wire.unpack(frame)
        assert self.learn(event), event
        return event

    def open_room(self, game: str = "robert", seats: int = 2, known: str = "") -> str:
        """Create a room, for a known deal if one is given, and return its link."""
        key = f"{self.token[-8:]}{next(self._ids)}"
        terms = {"game": game, "seats": seats, "limit": 600, "variant": "standard", "help": "none"}
        room = self.ask("room.create", **terms, key=key, known=known)
        return f"{self._url}/r/{room['code']}"

    def join(self, link: str) -> None:
        """Take a seat in a room by its link."""
        self.in_room(link, "room.join")

    def start(self, link: str) -> None:
        """Start a round in a room as its host."""
        self.in_room(link, "room.start")

    def in_room(self, link: str, type_: str, **fields: object) -> None:
        """Send a command for a room."""
        self.ask(type_, code=link.rpartition("/")[2], **fields)

    def wait_for_round(self) -> None:
        """Wait for the cards of the next round, in which the player has a seat."""
        while True:
            event = self._news.popleft() if self._news else self._receive()
            if event["type"] == "attempt":
                self.attempt = event["attempt"]
                return

    def open_daily(self, game: str = "robert") -> None:
        """Start the day's deal of a game."""
        self.attempt = self.ask("daily.open", game=game)["attempt"]

    def open_challenge(self, link: str) -> None:
        """Start a challenge by its link."""
        link_id = link.rpartition("/")[2]
        self.attempt = self.ask("PlayChallenge", challenge=link_id)["attempt"]

    def race_alone(self, game: str = "robert") -> None:
        """Start a race in a room with a single seat."""
        self.start(self.open_room(game, seats=1))
        self.wait_for_round()

    @property
    def _state(self) -> ClientState:
        return self.states[self.attempt]

    def play(self, move: str) -> None:
        """Play a move, such as `s>w`."""
        self.ask("move", attempt=self.attempt, seq=self._state.seq + 1, move=move)

    def cards(self, pile: str) -> list[str]:
        """Return the cards of a pile, bottom to top."""
        view = self._state.view
        held = seen_text(view.piles[view.ruleset.pile_numbers[pile]])
        return [held[at : at + 2] for at in range(0, len(held), 2)]

    def draw(self, moves: int) -> None:
        """Deal from the stock to the waste."""
        for _ in range(moves):
            self.play("s>w")

    def play_robert(self, home: int) -> None:
        """Play Robert until this many cards are home."""
        while count_home((view := self._state.view).ruleset, view.piles) < home:
            legal = {move_text(view.ruleset, move) for move in legal_moves(view)}
            self.play(next(move for move in ROBERT if move in legal))

    def wait_for_another_millisecond(self) -> None:
        """Wait until the server's time has changed."""
        begun = self.ask("ping")["now"]
        while self.ask("ping")["now"] == begun:
            pass

    def give_up(self) -> None:
        """Resign the attempt."""
        self.ask("resign", attempt=self.attempt, seq=self._state.seq + 1)


def _connected(url: str) -> ClientConnection:
    """Open a socket, retrying while an overloaded node refuses, as pages do."""
    until = time.monotonic() + REFUSED_WITHIN
    while True:
        try:
            # Received messages may stay unread; this still answers pings.
            return connect(url, max_queue=None)
        except InvalidStatus as error:
            if error.response.status_code != 503 or time.monotonic() > until:
                raise
            time.sleep(0.1)
