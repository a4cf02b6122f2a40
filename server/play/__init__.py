"""One attempt at a deal: moves, undo, hints, its end."""
