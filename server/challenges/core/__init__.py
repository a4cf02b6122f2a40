"""Challenges, without I/O."""
