"""Tests of `server/base/outbox`."""
