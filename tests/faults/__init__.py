"""Fault injection: real nodes on a real Redis, and a check of all that they stored and sent."""
