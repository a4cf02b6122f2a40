"""Circles: all that is decided about them, without I/O."""
