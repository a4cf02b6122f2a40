"""Clients of a node's gateway, for tests."""
