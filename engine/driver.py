"""The engine's driver: JSON Lines requests in, JSON Lines responses out.

Requests, by `op`: `games`; `new` with `game`, `variant`? and `deck` or `seed`; `load` with
`position`; `move` with `move`; `position`; `legal`; `hint`. Every response is a position, the
games, the legal moves, a hint (`{"move"}`, or null), or `{"error": {"code", "message"}}`, which
leaves the position unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from engine.board import Board
from engine.cards import parse_pile
from engine.catalog import games, ruleset
from engine.deal import deal_seed, lay_out, parse_seed
from engine.errors import EngineError
from engine.hints import hint
from engine.moves import legal_moves
from engine.notation import move_text, parse_move
from engine.play import play
from engine.position import parse_position, position_of
from engine.schema import STANDARD

MAX_LINE_LENGTH = 65_536  # the maximum length of a request in characters, without the line ending
_BLANK = " \t\r\n"


class RequestError(EngineError):
    """A line that is not a valid request."""

    code = "bad_request"


class Driver:
    """A conversation: holds the current position and answers requests."""

    def __init__(self) -> None:
        self._board: Board | None = None

    def answer(self, line: str) -> dict[str, Any]:
        """Return the response to a line: an error response if invalid, never an exception."""
        try:
            return self._handle(_parse_request(line))
        except EngineError as error:
            return {"error": {"code": error.code, "message": error.message}}

    def _handle(self, request: dict[str, Any]) -> dict[str, Any]:
        handlers: dict[str, tuple[Callable[[dict[str, Any]], dict[str, Any]], set[str]]] = {
            "games": (self._games, set()),
            "new": (self._new, {"game", "variant", "deck", "seed"}),
            "load": (self._load, {"position"}),
            "move": (self._move, {"move"}),
            "position": (lambda _: position_of(self._at()), set()),
            "legal": (self._legal, set()),
            "hint": (self._hint, set()),
        }
        op = request.get("op")
        if not isinstance(op, str) or op not in handlers:
            raise RequestError(f"op must be one of {', '.join(handlers)}.")
        handle, keys = handlers[op]
        unknown = request.keys() - keys - {"op"}
        if unknown:
            raise RequestError(f"{op} has no field {sorted(unknown)[0]!r}.")
        return handle(request)

    def _at(self) -> Board:
        if self._board is None:
            raise RequestError("There is no position yet: send new or load first.")
        return self._board

    def _games(self, _: dict[str, Any]) -> dict[str, Any]:
        return {
            "games": [
                {"id": game.id, "name": game.name, "variants": list(game.variants)}
                for game in games().values()
            ]
        }

    def _new(self, request: dict[str, Any]) -> dict[str, Any]:
        rules = ruleset(
            _string(request, "game"), _string({"variant": STANDARD} | request, "variant")
        )
        if ("deck" in request) == ("seed" in request):
            raise RequestError("new takes either deck or seed.")
        if "seed" in request:
            self._board = deal_seed(rules, parse_seed(_string(request, "seed")))
        else:
            deck = request["deck"]
            if not isinstance(deck, list) or not all(isinstance(card, str) for card in deck):
                raise RequestError("deck must be a list of strings.")
            self._board = lay_out(rules, parse_pile(deck))
        return position_of(self._board)

    def _load(self, request: dict[str, Any]) -> dict[str, Any]:
        self._board = parse_position(request.get("position"))
        return position_of(self._board)

    def _move(self, request: dict[str, Any]) -> dict[str, Any]:
        board = self._at()
        self._board, _ = play(board, parse_move(board.ruleset, _string(request, "move")))
        return position_of(self._board)

    def _legal(self, _: dict[str, Any]) -> dict[str, Any]:
        board = self._at()
        return {"moves": sorted(move_text(board.ruleset, move) for move in legal_moves(board))}

    def _hint(self, _: dict[str, Any]) -> dict[str, Any]:
        board = self._at()
        move = hint(board)
        return {"move": move and move_text(board.ruleset, move)}


def _parse_request(line: str) -> dict[str, Any]:
    if len(line) > MAX_LINE_LENGTH:
        raise RequestError(f"A request has at most {MAX_LINE_LENGTH} characters.")
    try:
        # In JSON, 1 and 1.0 are the same number, and int() rejects literals with too many digits.
        request = json.loads(line, parse_int=float, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise RequestError("A request must be a JSON object on one line.") from error
    if not isinstance(request, dict):
        raise RequestError("A request must be a JSON object on one line.")
    return request


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON.")


def _string(request: dict[str, Any], key: str) -> str:
    value = request.get(key)
    if not isinstance(value, str):
        raise RequestError(f"{key} must be a string.")
    return value


def run(lines: Iterable[str]) -> Iterator[str]:
    """Yield the response to each line that is not blank, as JSON without a line ending."""
    driver = Driver()
    for line in lines:
        if line.strip(_BLANK):
            answer = driver.answer(line.removesuffix("\n"))
            yield json.dumps(answer, separators=(",", ":"))
