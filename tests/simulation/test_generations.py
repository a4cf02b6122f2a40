"""A player with two devices at two nodes, while the store loses the move that it acknowledged last.

What a node holds of a journal must count for nothing once its connection to the store broke.
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
from tests.core.builders import START
from tests.faults.checker import check
from tests.faults.sight import Sight
from tests.simulation import broken
from tests.simulation.network import Network
from tests.simulation.player import Player
from tests.simulation.race import conditions, run
from tests.simulation.world import World


@pytest.fixture(autouse=True)
def quick() -> Iterator[None]:
    """Run all races under the simulation's conditions."""
    with conditions():
        yield


async def story(world: World) -> None:
    """Play at two nodes, with a power cut between."""
    world.set_epoch(START)
    world.be_calm()
    network = Network(world, 2, dailies=True)
    player = Player(world, network, 0)
    await player.begin()
    opened = await player.ask("daily.open", game="rouge-et-noir")
    assert opened is not None
    attempt = opened["attempt"]

    async def play(device: int, move: str) -> None:
        seq = player.sights[attempt].seq + 1
        command = {"type": "move", "attempt": attempt, "seq": seq, "move": move}
        await player.ask_all([command], device)

    # Nobody tells the first device's node that there is a second one.
    network.nodes[0].services.sessions.superseded.subscribers.clear()
    network.nodes[0].services.sessions.missed.subscribers.clear()
    network.nodes[1].services.sessions.superseded.subscribers.clear()
    await player.ask_all([{"type": "attempt.open", "attempt": attempt}], 1)
    lost, instead, *_ = moves = sorted(_moves(player.sights[attempt]))
    held = world.memory.copied()
    await play(0, lost)
    remembered = player.sights[attempt]
    world.lose_tail(held)
    world.away_until = 0.0
    # The nodes find the store again by themselves.
    await player.pause(5.0, 5.0)
    # Its number is not the next one: the second device is shown how it stands.
    await play(1, lost)
    await play(1, instead)
    both = _moves(player.sights[attempt]) & _moves(remembered)
    assert both, f"another seed may have moves that go with either of {moves}"
    await play(0, min(both))
    ledgers = [player.ledger.asked_since(world.lost_at)]
    verdict = check(world.memory.kept(), ledgers, int(world.now()))
    for complaint in verdict.complaints:
        if complaint.kind != "unfinished":
            world.complain(complaint.kind, complaint.about, complaint.text)


def _moves(sight: Sight) -> set[str]:
    """Return the moves that look legal."""
    view = sight.view
    board = Board(view.ruleset, view.piles, view.redeals, view.moves)
    return {move_text(view.ruleset, move) for move in legal_moves(board)}


@pytest.mark.parametrize(
    ("way", "found"), [(nullcontext, False), *((way, True) for way in broken.LOSSES)]
)
def test_no_move_follows_a_lost_one_that_a_node_still_holds(way: Any, found: bool) -> None:
    with way():
        complaints = [run(seed, Counter(), story).complaints for seed in range(5)]
    assert any(complaints) is found, complaints
