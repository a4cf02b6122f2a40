"""How strangers meet: open rooms and quick matches."""
