"""The node that is measured: `samedeal serve` with a fixed deal.

    python -m deploy.bench.node [--unlimited] [--metered] OPTIONS

OPTIONS are those of `samedeal serve`. Every deal is the recorded one, rounds start without a
countdown, and a million players may share an address unless OPTIONS say otherwise, since all come
from one. With --unlimited, players have no rate limit. With --metered, the node serves its
metrics on the next port, and who watches sees moves a second later instead of 15. Nothing else
differs.
"""

from __future__ import annotations

import secrets
import sys

from deploy.bench.games import SEED
from server.base.net import limits
from server.deals import store as deals_store
from server.rooms.core import commands, rate_limit
from server.watching.core import sight

UNLIMITED = 1e12

LIMITS = {
    "PLAYER_COMMANDS": limits.Rate(UNLIMITED, UNLIMITED),
    "BYTES_PER_SECOND": UNLIMITED,
    "BYTES_AT_ONCE": UNLIMITED,
}
"""The constants of `limits` that bound what a player and a connection may send, without effect."""

WATCH_DELAY_MS = 1_000
"""Milliseconds by which watchers of a node with --metered see moves later."""


class FixedSeed:
    """Replaces the module `secrets` in `store.deals`."""

    choice = staticmethod(secrets.choice)

    @staticmethod
    def token_bytes(length: int) -> bytes:
        """Return the seed of the recorded games."""
        return SEED[:length]


def main() -> None:
    """Run the node until it is terminated."""
    options = sys.argv[1:]
    if "--address-players" not in options:
        options += ["--address-players", "1000000"]
    vars(deals_store)["secrets"] = FixedSeed
    commands.COUNTDOWN_MS = 0
    if "--unlimited" in options:
        options.remove("--unlimited")
        vars(limits).update(LIMITS)
        vars(rate_limit)["MOST_MS"] = 10**18
    if "--metered" in options:
        options.remove("--metered")
        port = int(options[options.index("--port") + 1])
        options += ["--metrics-port", str(port + 1)]
        sight.WATCH_DELAY_MS = WATCH_DELAY_MS
    # Sockets copy the limits when they are imported.
    from server.cli.main import main as samedeal  # noqa: PLC0415

    samedeal(["serve", *options])


if __name__ == "__main__":
    main()
