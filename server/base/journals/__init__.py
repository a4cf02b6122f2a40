"""Journals: appending, reading, and the state that follows from them."""
