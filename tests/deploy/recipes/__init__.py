"""Tests that run the operators' instructions exactly as the documents give them."""
