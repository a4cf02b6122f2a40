"""The node that is measured: `samedeal serve` with a fixed deal.

    python -m deploy.bench.node [--unlimited | --guarded] [--unsearched] OPTIONS

OPTIONS are passed to `samedeal serve`. Every deal is the recorded one, rounds start without a
countdown, and a million players may share an address, since the load comes from one. --unlimited
also removes players' rate limits; --guarded keeps the usual limits of addresses. With --unsearched,
searches end immediately without a result. Nothing else differs.
"""

from __future__ import annotations

import sys

from deploy.bench.games import SEED
from engine.board import Board
from engine.search import Outcome
from server.base.net import limits
from server.deals import store as deals_store
from server.play.searcher import Answer, Searcher
from server.rooms.core import commands, rate_limit

UNLIMITED = 1e12

# Values that disable the rate limits of players and connections in `limits`.
LIMITS = {
    "PLAYER_COMMANDS": limits.Rate(UNLIMITED, UNLIMITED),
    "BYTES_PER_SECOND": UNLIMITED,
    "BYTES_AT_ONCE": UNLIMITED,
}


class FixedSeed:
    """Replaces the module `secrets` in `store.deals`."""

    @staticmethod
    def token_bytes(length: int) -> bytes:
        """Return the seed of the recorded games."""
        return SEED[:length]


def deal_recorded() -> None:
    """Make all deals drawn from now on the recorded one."""
    vars(deals_store)["secrets"] = FixedSeed


async def search_nothing(self: Searcher, board: Board, positions: int = 0) -> Answer:
    """Answer a search immediately, as if it had reached its bound."""
    return Answer(Outcome.UNKNOWN, ())


def main() -> None:
    """Run the node until it is terminated."""
    ours = {"--unlimited", "--guarded", "--unsearched"} & {*sys.argv}
    options = [each for each in sys.argv[1:] if each not in ours]
    if "--guarded" not in ours:
        options += ["--address-players", "1000000"]
    if "--unlimited" in ours:
        vars(limits).update(LIMITS)
        vars(rate_limit)["MOST_MS"] = 10**18
    if "--unsearched" in ours:
        Searcher.ask = search_nothing  # type: ignore[method-assign]
    deal_recorded()
    commands.COUNTDOWN_MS = 0
    # The module of sockets copies the limits at import.
    from server.cli.main import main as samedeal  # noqa: PLC0415

    samedeal(["serve", *options])


if __name__ == "__main__":
    main()
