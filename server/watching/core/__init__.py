"""Visibility of boards to watchers, without I/O."""
