"""Circles: groups of players that last, with tables that follow from their histories."""
