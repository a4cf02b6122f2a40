"""Secret keys, sealing, and the signing of tokens."""
