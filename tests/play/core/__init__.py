"""Tests of `server/play/core`."""
