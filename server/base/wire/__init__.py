"""Sessions, messages as bytes, what commands cost, and who answers them."""
