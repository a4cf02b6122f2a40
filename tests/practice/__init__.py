"""Tests of `server/practice`."""
