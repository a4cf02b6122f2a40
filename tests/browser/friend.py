"""Players without a browser, for steps of a journey that no page has to show."""

from __future__ import annotations

import time
from collections import deque
from contextlib import ExitStack
from itertools import count
from types import TracebackType

from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from server.base.wire.session_messages import VERSION
from tests.clients.client import REFUSED_WITHIN
from tests.processes import PATIENCE
from tests.wire import Message, Wire

RANKS = "A23456789TJQK"

BUSY = {"overloaded", "unavailable", "players_away"}
"""Codes of refusals after which to try again: a node is busy, or knows not all members yet."""


class Friend:
    """A player's session without a browser: it takes a hundredth of a page's processor time.

    Args:
        name: the name of a new guest.

    Attributes:
        attempt: the id of the last attempt.
    """

    def __init__(self, url: str, name: str | None = None, token: str | None = None) -> None:
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
        self._seq = 0
        self._result: Message = {}
        self._piles: dict[str, str] = {}

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
        return self._wire.unpack(frame)

    def open_room(self, game: str = "robert", seats: int = 2) -> str:
        """Create a room and return its link."""
        key = f"{self.token[-8:]}{next(self._ids)}"
        room = self.ask("room.create", game=game, seats=seats, limit=600, key=key)
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
                self._begin(event)
                return

    def open_daily(self, game: str = "robert") -> None:
        """Start the day's deal of a game."""
        self._begin(self.ask("daily.open", game=game))

    def open_challenge(self, link: str) -> None:
        """Start a challenge by its link."""
        self._begin(self.ask("PlayChallenge", challenge=link.rpartition("/")[2]))

    def race_alone(self, game: str = "robert") -> None:
        """Start a race in a room with a single seat."""
        self.start(self.open_room(game, seats=1))
        self.wait_for_round()

    def _begin(self, attempt: Message) -> None:
        self.attempt, self._seq = attempt["attempt"], attempt["seq"]
        self._result = attempt["result"]
        self._piles = dict(attempt["piles"])

    def play(self, move: str) -> None:
        """Play a move, such as `s>w`."""
        self._seq += 1
        moved = self.ask("move", attempt=self.attempt, seq=self._seq, move=move)
        self._result = moved["result"]
        for pile, taken, put in moved["changes"]:
            held = self._piles[pile]
            self._piles[pile] = held[: len(held) - 2 * taken] + put

    def cards(self, pile: str) -> list[str]:
        """Return the cards of a pile, bottom to top."""
        held = self._piles[pile]
        return [held[at : at + 2] for at in range(0, len(held), 2)]

    def draw(self, moves: int) -> None:
        """Deal from the stock to the waste."""
        for _ in range(moves):
            self.play("s>w")

    def play_robert(self, home: int) -> None:
        """Play Robert until this many cards are home."""
        while self._result["home"] < home:
            (*_, foundation), waste = self.cards("f0"), self.cards("w")
            if waste and adjoin(foundation, waste[-1]):
                self.play("w>f0")
            else:
                self.play("s>w" if self.cards("s") else "w>s")

    def give_up(self) -> None:
        """Resign the attempt."""
        self.ask("resign", attempt=self.attempt, seq=self._seq + 1)


def adjoin(one: str, other: str) -> bool:
    return (RANKS.index(one[0]) - RANKS.index(other[0])) % 13 in {1, 12}


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
