"""A racing bot: `python bot.py URL GAME [CODE]`; without a code, it opens a new room."""

import asyncio
import sys
from contextlib import suppress

from samedeal_client import Attempt, AttemptEnded, Client, Move


def choose(attempt: Attempt) -> Move | None:
    """Return a move to a foundation, or one that deals from the stock or recycles the waste."""
    rules, moves = attempt.ruleset, attempt.legal_moves()
    home = [move for move in moves if move.target in rules.foundations]
    return next(iter(home + [m for m in moves if rules.stock in {m.source, m.target}]), None)


async def race(url: str, game: str, code: str = "") -> None:
    """Play one round, and print its ranking."""
    async with Client(url) as client:
        if code:
            await client.join_room(code)
        else:
            print((await client.create_room(game, seats=2)).code, flush=True)
            await client.room_full()
            await client.start_round()
        attempt = await client.playing()
        while not attempt.over:
            with suppress(AttemptEnded):
                move = choose(attempt)
                await (attempt.play(move) if move else attempt.resign())
        finished = await client.round_over()
    for runner in sorted(finished.runners, key=lambda runner: runner.rank or 0):
        print(f"{runner.rank}. {runner.player.name}: {runner.result.home} cards home")


if __name__ == "__main__":
    asyncio.run(race(*sys.argv[1:]))
