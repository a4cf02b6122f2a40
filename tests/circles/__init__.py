"""Tests of circles."""
