"""Watching the boards of others."""
