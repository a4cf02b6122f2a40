"""Coming back to an attempt: what a player says it has of it, which mostly is so."""

from __future__ import annotations

import random
from typing import Any

from server.core.digest import digest
from tests.faults.player import Player
from tests.faults.sight import Sight

NOTHING, OLD, WRONG_DIGEST, WRONG_ENTRY = 0.15, 0.15, 0.1, 0.1
"""How often a player says nothing, what it had at first, another view, or another entry."""


def claim(sight: Sight, first: Sight, rng: random.Random) -> dict[str, Any]:
    """Return the field that says what a player has: what it saw last, or first, or lies."""
    chance = rng.random()
    if chance < NOTHING:
        return {}
    had = first if chance < NOTHING + OLD else sight
    seq, said = had.seq, digest(had.view)
    match rng.random():
        case lie if lie < WRONG_DIGEST:
            said ^= 1 << rng.randrange(32)
        case lie if lie < WRONG_DIGEST + WRONG_ENTRY:
            seq = rng.choice((seq + 1, seq + 1_000, max(1, seq - 1)))
    return {"have": {"seq": seq, "digest": said}}


async def come_back(player: Player, attempt: str) -> None:
    """Open an attempt again in a new session, saying what one has of it."""
    sight = player.sights.get(attempt)
    if sight is None:
        return
    said = claim(sight, player.firsts.get(attempt, sight), player.rng)
    player.doing = f"coming back to {attempt}"
    answer = await player.ask("attempt.open", attempt=attempt, **said)
    if answer is None or answer["type"] == "refused":
        # What is seen may be out of date: the next look is a fresh one.
        player.sights.pop(attempt, None)
        return
    player.world.counts["came back, claiming something" if said else "came back"] += 1
    if answer["type"] == "missed":
        player.world.counts["missed told"] += 1
        player.world.counts["missed moves told"] += len(answer["moves"])
