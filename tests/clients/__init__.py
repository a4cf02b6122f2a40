"""Clients for tests of a node's gateway."""
