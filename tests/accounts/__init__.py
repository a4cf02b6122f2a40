"""Tests of the accounts wing."""
