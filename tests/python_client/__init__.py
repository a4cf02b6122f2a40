"""Tests of the client library in Python, `server/client`."""
