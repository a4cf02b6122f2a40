"""Faults on purpose: real nodes on a real Redis, and what must hold of them all the same."""
