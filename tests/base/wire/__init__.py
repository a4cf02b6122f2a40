"""Tests of `server/base/wire`."""
