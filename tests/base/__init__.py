"""Tests of what all wings stand on."""
