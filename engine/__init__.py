"""The rules of solitaire games: pure functions on immutable boards, standard library only.

A game is a TOML file in `games/`; `catalog` loads it, `deal` lays a pack out, `moves` lists what
is legal, `play` applies a move, `board` shows what a player may see, `solver` searches whether a
card can still come home. See `RULES.md` for the keys of a ruleset, `DEALS.md` for the dealing
algorithm, and `python -m engine` for a driver on standard input.
"""
