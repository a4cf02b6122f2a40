"""Tests of `server/dailies/core`."""
