"""Fault injection: run real nodes on a real Redis, and check everything they store and send."""
