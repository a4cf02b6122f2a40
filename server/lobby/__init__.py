"""Matchmaking of strangers: open rooms and quick matches."""
