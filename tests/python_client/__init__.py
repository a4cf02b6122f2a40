"""Tests of the Python client library, `server/client`."""
