"""Journals: append-only logs, their replicas, and reading stored items."""
