"""Addresses and URLs that may be posted to, and what follows from an answer."""
