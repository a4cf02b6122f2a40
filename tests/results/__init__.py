"""Tests of results, histories and leaderboards."""
