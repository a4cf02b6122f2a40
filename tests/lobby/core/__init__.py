"""Tests of `server/lobby/core`."""
