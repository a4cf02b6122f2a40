"""A player with devices on two nodes, while the store loses the last acknowledged move.

A replica must be refreshed after its connection to the store has broken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest

from engine.board import Board
from engine.moves import legal_moves
from engine.notation import move_text
from tests.builders import START
from tests.clients.known import ClientState
from tests.faults.checker import check
from tests.simulation import broken
from tests.simulation.network import Network
from tests.simulation.player import Player
from tests.simulation.race import answers_since, conditions, run
from tests.simulation.world import World


@pytest.fixture(autouse=True)
def quick() -> Iterator[None]:
    with conditions():
        yield


async def scenario(world: World) -> None:
    world.set_epoch(START)
    world.stop_faults()
    network = Network(world, 2, dailies=True)
    player = Player(world, network, 0)
    await player.begin()
    opened = await player.ask("daily.open", game="rouge-et-noir")
    assert opened is not None
    attempt = opened["attempt"]

    async def play(device: int, move: str) -> None:
        seq = player.states[attempt].seq + 1
        command = {"type": "move", "attempt": attempt, "seq": seq, "move": move}
        await player.ask_all([command], device)

    # Neither node learns what the other device plays.
    for node in network.nodes:
        node.services.attempts.appended.subscribers.clear()
    # Nor does the first node read the attempt when it reconnects.
    network.nodes[0].services.sessions.missed.subscribers.clear()
    await player.ask_all([{"type": "attempt.open", "attempt": attempt}], 1)
    lost, other, *_ = moves = sorted(_moves(player.states[attempt]))
    held = world.memory.snapshot()
    await play(0, lost)
    remembered = player.states[attempt]
    world.lose_last_writes(held)
    world.unavailable_until = 0.0
    # The nodes reconnect to the store.
    await player.pause(5.0, 5.0)
    # Its number is not the next one, so the second device gets a snapshot.
    await play(1, lost)
    await play(1, other)
    both = _moves(player.states[attempt]) & _moves(remembered)
    assert both, f"no move is legal after either of {moves}: use another seed"
    await play(0, min(both))
    ledgers = [answers_since(player.ledger, world.lost_at)]
    verdict = check(world.memory.stored(), ledgers, int(world.now()))
    for complaint in verdict.complaints:
        if complaint.kind != "unfinished":
            world.complain(complaint.kind, complaint.about, complaint.text)


def _moves(state: ClientState) -> set[str]:
    """Return the moves that look legal."""
    view = state.view
    board = Board(view.ruleset, view.piles, view.redeals, view.moves)
    return {move_text(view.ruleset, move) for move in legal_moves(board)}


@pytest.mark.parametrize(
    ("way", "found"), [(nullcontext, False), *((way, True) for way in broken.BROKEN_AFTER_LOSS)]
)
def test_no_move_is_appended_after_a_lost_one_in_a_replica(way: Any, found: bool) -> None:
    with way():
        races = (run(seed, Counter(), scenario).complaints for seed in range(12))
        complaints = next(filter(None, races), [])
    assert bool(complaints) is found, complaints
