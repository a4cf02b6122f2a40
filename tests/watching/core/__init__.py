"""Tests of `server/watching/core`."""
