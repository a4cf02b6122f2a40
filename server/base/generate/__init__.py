"""Generators of texts from the messages and the HTTP interface."""
