#!/bin/sh
# soliterm 1.2.0: Pyramid is won with cards left on the pyramid.
#
# One would expect a win when the pyramid is cleared, or all cards are gone. As in AisleRiot 3.22,
# whose Thirteen has the same test, a game is won when stock and waste are empty and the left card of
# the second row is gone. Up to seven cards of the right edge may be left then, each covering the
# next, so that no further pair can be made.
#
# Observed: with three cards at the top, taking the King on the left wins, and two cards are left.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv" || exit 2
"$folder/venv/bin/pip" install -q --disable-pip-version-check soliterm==1.2.0 || exit 2
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

from soliterm.engine import Card, new_solitaire

game = new_solitaire("pyramid", 1)
rules = game.gamedef
top, left, right = rules.pyramid[:3]
kept = {top: Card(8, "H", False), left: Card(13, "S", True), right: Card(5, "C", True)}
faces = {card.up(False) for card in kept.values()}
dealt = [card.up(False) for slot in game.slots for card in slot.cards]
for slot in game.slots:
    slot.cards = [kept[slot.sid]] if slot.sid in kept else []
game.slots[rules.discard].cards = [card.up() for card in dealt if card not in faces]
before = rules.is_won(game)
assert game.attempt_move(left, rules.discard, 1)
after = rules.is_won(game)
cards = [str(game.top(slot)) for slot in rules.pyramid if game.top(slot)]
print(f"soliterm {version('soliterm')}: won before {before}, after {after}, with {cards} left")
assert (before, after, cards) == (False, True, ["8H", "5C"])
PYTHON
