"""Tests of `server/notifications`."""
