"""Tests of `server/base/seals`."""
