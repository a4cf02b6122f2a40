"""Deals and their certificates."""
