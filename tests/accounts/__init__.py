"""Tests of accounts: how players sign in."""
