"""The boards that a watcher has received, as a client keeps them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.wire import Message


@dataclass(slots=True)
class SeenBoard:
    """A runner's board.

    Attributes:
        seq: the last shown entry; 0 if there is nothing to see.
        piles: as sent, from bottom to top.
        result: the result at that entry.
    """

    seq: int
    piles: list[bytes]
    redeals: int
    result: Message
    problem: str | None = None


@dataclass(slots=True)
class SeenBoards:
    """All boards of the watched round.

    Attributes:
        number: the round's.
        sight: how the boards are seen; `None` before the first event.
        boards: by runner's id, in order of the runners.
    """

    number: int = 0
    sight: str | None = None
    boards: dict[str, SeenBoard] = field(default_factory=dict)

    def update(self, event: Message) -> None:
        """Apply an event; events of other types change nothing."""
        if event["type"] == "Watched":
            self.number, self.sight = event["round"], event["sight"]
            self.boards = {
                board["player"]: SeenBoard(
                    board["seq"],
                    list(board["piles"]),
                    board["redeals"],
                    board["result"],
                    board["problem"],
                )
                for board in event["boards"]
            }
        elif event["type"] == "WatchedMove" and event["round"] == self.number:
            boards = list(self.boards.values())
            if event["board"] < len(boards):
                _apply(boards[event["board"]], event)


def _apply(board: SeenBoard, event: Message) -> None:
    if event["seq"] <= board.seq:
        return
    changes: list[list[Any]] = event["changes"]
    if not board.piles:
        assert board.seq == 0, "a board begins with its piles"
    for pile, take, *put in changes:
        while len(board.piles) <= pile:
            board.piles.append(b"")
        cards = board.piles[pile]
        assert take <= len(cards), "a change belongs to the board"
        board.piles[pile] = cards[: len(cards) - take] + bytes(put)
    board.seq, board.redeals, board.result = event["seq"], event["redeals"], event["result"]
