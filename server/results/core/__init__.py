"""Histories, boards and ratings, without I/O."""
