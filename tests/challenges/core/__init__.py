"""Tests of the pure part of `server/challenges`."""
