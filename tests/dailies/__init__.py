"""Tests of daily challenges."""
