"""Tests of open rooms and quick matches."""
