"""Tests of dailies."""
