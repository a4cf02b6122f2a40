"""Tests of watching races."""
