"""A racing bot: `python -m server.example_bot URL GAME [CODE]`; without a code, in a new room."""

import asyncio
import secrets
import sys
from typing import Any

import msgpack
from websockets.asyncio.client import connect

from engine import Move, View, apply_delta, legal_moves, read_delta, read_view, ruleset

# Each command is sent once at most, and in this order, so that its kind serves as its id.
HELLO, CREATE_ROOM, JOIN_ROOM, START_ROUND, RESIGN = 1, 3, 4, 7, 9
REFUSED, ROOM_STATE, ATTEMPT, FIRST_NUMBER = 3, 5, 7, 32


def choose(view: View) -> Move | None:
    """Return a move to a foundation, else one that deals from the stock or turns the waste over."""
    moves, stock = legal_moves(view), view.ruleset.stock
    home = [move for move in moves if move.target in view.ruleset.foundations]
    return next(iter(home + [move for move in moves if stock in {move.source, move.target}]), None)


async def race(url: str, game: str, code: str = "") -> list[Any]:
    """Play one round, and return its runners."""
    create = [CREATE_ROOM, CREATE_ROOM, game, 2, 900, secrets.token_hex(8)]
    enter = [JOIN_ROOM, JOIN_ROOM, code] if code else create
    replies: list[list[Any]] = [[HELLO, HELLO, 1], enter]
    async with connect(url) as socket:
        while True:
            for reply in replies:
                await socket.send(msgpack.packb(reply))
            kind, re, *fields = msgpack.unpackb(await socket.recv())
            replies = []
            if kind == ROOM_STATE:
                room, members, round_ = fields[0], fields[7], fields[8]
                if re == CREATE_ROOM:
                    print(room, flush=True)  # noqa: T201
                elif round_ is not None and round_[5]:
                    return list(round_[6])
                elif not (round_ or code) and [here for _, _, here, *_ in members] == [True, True]:
                    replies = [[START_ROUND, START_ROUND, room]]
            elif kind == REFUSED and fields[0] != "attempt_ended":
                raise RuntimeError(f"{fields[0]}: {fields[1]}")
            elif kind == ATTEMPT or kind >= FIRST_NUMBER:
                if kind == ATTEMPT:
                    number, seq, rules = fields[0], fields[8], ruleset(*fields[4:6])
                    view = read_view(rules, fields[9], fields[10])
                else:
                    changes, _, _, redeals = [*fields, None, None, None][:4]
                    view, seq = apply_delta(view, read_delta(view, changes, redeals)), re
                    await asyncio.sleep(0.05)  # A session may send 20 commands a second for long.
                move, resign = choose(view), [RESIGN, RESIGN, number, seq + 1]
                replies = [[number, seq + 1, *rules.numbers_of(move)] if move else resign]


if __name__ == "__main__":
    for player, _, result, rank, *_ in sorted(asyncio.run(race(*sys.argv[1:])), key=lambda r: r[3]):
        print(f"{rank}. {player[1]!r}: {result[0]} cards home")  # noqa: T201
