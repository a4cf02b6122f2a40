"""Tests of deals and their certificates."""
