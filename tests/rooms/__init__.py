"""Tests of race rooms."""
