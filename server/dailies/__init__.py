"""Dailies, and the archive of their runs."""
