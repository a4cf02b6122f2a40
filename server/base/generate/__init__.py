"""Generators of the clients' sources from the messages and the HTTP interface."""
