"""Deals and what is proved of them."""
