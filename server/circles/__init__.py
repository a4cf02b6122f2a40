"""Circles: lasting groups of players with tables computed from their histories."""
