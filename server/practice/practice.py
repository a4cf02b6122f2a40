"""Statistics of practice that follow a kept identity.

Each device sends its deals in numbered batches, and sends a batch again, unchanged, until it is
answered. The number of each device's last batch is stored with the figures, so no batch counts
twice, and devices need not know each other's deals.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import asdict, astuple

from engine.catalog import ruleset
from engine.errors import EngineError
from engine.schema import is_changes
from server.accounts.core.refusals import AccountRefusals
from server.base.core.ids import PlayerId
from server.base.core.refusal import Refusal
from server.base.work.clock import Clock
from server.practice.core.figures import MAX_PLAYED, Figures, Played, is_consistent, joined
from server.practice.core.keys import MAX_DEVICES
from server.practice.core.refusals import PracticeRefusals
from server.practice.store import Excerpt, Mark, PracticeStore


class Batch(NamedTuple):
    """A device's deals by one variant, since its batch before."""

    device: str
    number: int  # ascending within the device
    of: Played
    figures: Figures


class Practice:
    """Stores the practice of players with a kept identity."""

    def __init__(self, store: PracticeStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def load(self, player: PlayerId) -> list[tuple[Played, Figures]]:
        """Return a player's figures."""
        figures, _ = await self._store.load(player)
        return figures

    async def read(self, player: PlayerId, batch: Batch) -> Excerpt:
        """Return what is stored of a batch's variant.

        Raises:
            Refusal: the rules are unknown or custom, or the figures contradict themselves.
        """
        _check(batch)
        return await self._store.read(player, batch.of)

    async def add(self, player: PlayerId, batch: Batch, found: Excerpt) -> Figures:
        """Add a batch unless it was added before, and return the variant's figures.

        `found` is what was stored before.

        Raises:
            Refusal: the player is a guest, or the maximum of deals is reached.
        """
        while True:
            before, devices = found.figures or Figures(), found.devices
            mark = devices.get(batch.device)
            if mark is not None and batch.number <= mark.number:
                return before
            after = joined(before, batch.figures)
            if after.played > MAX_PLAYED:
                raise Refusal(PracticeRefusals.figures_full)
            devices[batch.device] = Mark(batch.number, self._clock.now())
            latest = sorted(devices.items(), key=lambda each: each[1].at)[-MAX_DEVICES:]
            added = await self._store.write(player, found, after, dict(latest))
            if added is None:
                raise Refusal(AccountRefusals.not_kept)
            if added:
                return after
            found = await self._store.read(player, batch.of)

    async def export(self, player: PlayerId) -> dict[str, object]:
        """Return a player's stored data."""
        found, devices = await self._store.load(player)
        return {
            "figures": [{**of._asdict(), **_shown(figures)} for of, figures in found],
            "devices": [{"name": name, **mark._asdict()} for name, mark in devices.items()],
        }

    async def forget(self, player: PlayerId) -> None:
        """Delete a player's practice."""
        await self._store.forget(player)


def _shown(figures: Figures) -> dict[str, object]:
    return {**asdict(figures), "deals": [astuple(each) for each in figures.deals]}


def _check(batch: Batch) -> None:
    game, variant = batch.of
    if is_changes(variant):
        raise Refusal(PracticeRefusals.own_rules)
    try:
        rules = ruleset(game, variant)
    except EngineError as error:
        raise Refusal.of(error) from error
    if not is_consistent(batch.figures, rules.total):
        raise Refusal(PracticeRefusals.bad_figures)
