"""Resuming an attempt after a reconnect, mostly with a correct `have`."""

from __future__ import annotations

import random
from typing import Any

from server.play.core.digest import digest
from tests.faults.client_state import ClientState
from tests.faults.player import Player

NOTHING, OLD, WRONG_DIGEST, WRONG_ENTRY = 0.15, 0.15, 0.1, 0.1
"""Probabilities of no `have`, of the first state's, of a wrong digest, and of a wrong entry."""


def claim(state: ClientState, first: ClientState, rng: random.Random) -> dict[str, Any]:
    """Return the field `have` of the last or first state, or a wrong one, or no field."""
    chance = rng.random()
    if chance < NOTHING:
        return {}
    had = first if chance < NOTHING + OLD else state
    seq, value = had.seq, digest(had.view)
    match rng.random():
        case lie if lie < WRONG_DIGEST:
            value ^= 1 << rng.randrange(32)
        case lie if lie < WRONG_DIGEST + WRONG_ENTRY:
            seq = rng.choice((seq + 1, seq + 1_000, max(1, seq - 1)))
    return {"have": {"seq": seq, "digest": value}}


async def resume(player: Player, attempt: str) -> None:
    """Reopen a known attempt in a new session, mostly with a `have`."""
    state = player.states.get(attempt)
    if state is None:
        return
    fields = claim(state, player.first_states.get(attempt, state), player.rng)
    player.doing = f"resuming {attempt}"
    answer = await player.ask("attempt.open", attempt=attempt, **fields)
    if answer is None or answer["type"] == "refused":
        # The state may be stale, so the attempt is opened anew next time.
        player.states.pop(attempt, None)
        return
    player.world.counts["resumed with have" if fields else "resumed without have"] += 1
    if answer["type"] == "missed":
        player.world.counts["missed events"] += 1
        player.world.counts["missed moves"] += len(answer["moves"])
