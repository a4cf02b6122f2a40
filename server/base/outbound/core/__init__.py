"""Validation of addresses and URLs of posts, and the interpretation of answers."""
