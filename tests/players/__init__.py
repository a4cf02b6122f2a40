"""Tests of players and their sessions."""
