"""Tests of `server/rooms/core`."""
