#!/bin/sh
# pysol-cards 0.24.0: up to number 32,000, all three kinds of deals are Microsoft's, in every game.
#
# One would expect `DEALS_PYSOLFC` to select PySolFC's generator for each number, and `DEALS_PYSOL`
# PySol's, as they do from 32,001 on. The argument is ignored below, also for games of two packs,
# which Microsoft's program never dealt. A program that knows a deal by its number and its kind has
# two names for the same deal there, and no name for 32,000 of PySolFC's own deals.
#
# Observed: FreeCell, Klondike and Gypsy number 32000 are the same deal for all three kinds, and
# number 32001 is three different deals.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv" || exit 2
"$folder/venv/bin/pip" install -q --disable-pip-version-check pysol-cards==0.24.0 || exit 2
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

from pysol_cards.cards import CardRenderer
from pysol_cards.deal_game import Game
from pysol_cards.random_base import RandomBase

KINDS = [RandomBase.DEALS_MS, RandomBase.DEALS_PYSOLFC, RandomBase.DEALS_PYSOL]


def different(game: str, number: int) -> int:
    cards = CardRenderer(True)
    return len({Game(game, number, kind).calc_layout_string(cards) for kind in KINDS})


found = {
    game: [different(game, number) for number in (1, 32_000, 32_001)]
    for game in ("freecell", "klondike", "gypsy")
}
print(f"pysol-cards {version('pysol-cards')}: different deals of 1, 32000 and 32001: {found}")
assert all(counts == [1, 1, 3] for counts in found.values())
PYTHON
