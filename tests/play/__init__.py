"""Tests of playing an attempt."""
