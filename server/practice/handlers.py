"""Handlers of the commands in `server.practice.messages`."""

from __future__ import annotations

from contextlib import nullcontext

from server.practice.core import charges
from server.practice.core.figures import Counted, Figures, Played
from server.practice.messages import (
    AddPractice,
    GetPractice,
    Practice,
    PracticeDeal,
    PracticeFigures,
    Practised,
)
from server.practice.practice import Batch
from server.practice.services import Request


async def get_practice(request: Request[GetPractice]) -> Practice:
    """Return the player's statistics of practice."""
    found = await request.services.practice.load(request.player)
    request.pay(charges.VARIANT_COST * len(found))
    return Practice([_practised(of, figures) for of, figures in found])


async def add_practice(request: Request[AddPractice]) -> Practice:
    """Add a batch, and return the figures of its variant."""
    command, practice = request.command, request.services.practice
    of = Played(command.game, command.variant)
    batch = Batch(command.device, command.batch, of, _figures(command.figures))
    found = await practice.read(request.player, batch)
    items = charges.of_batch(
        new_figures=found.figures is None, new_device=batch.device not in found.devices
    )
    async with request.paying("any", items) if items else nullcontext():
        figures = await practice.add(request.player, batch, found)
    return Practice([_practised(of, figures)])


def _figures(given: PracticeFigures) -> Figures:
    return Figures(
        given.played,
        given.won,
        given.streak,
        given.longest,
        given.home,
        given.time,
        given.moves,
        tuple(Counted(each.won, each.home, each.time, each.moves) for each in given.deals),
    )


def _practised(of: Played, figures: Figures) -> Practised:
    deals = [PracticeDeal(each.won, each.home, each.time, each.moves) for each in figures.deals]
    shown = PracticeFigures(
        figures.played,
        figures.won,
        figures.streak,
        figures.longest,
        figures.home,
        figures.time,
        figures.moves,
        deals,
    )
    return Practised(of.game, of.variant, shown)
