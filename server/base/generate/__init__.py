"""Generators of client code and documents from the messages and the HTTP interface."""
