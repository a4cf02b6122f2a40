"""Secret keys, what they seal, and the tokens that they sign."""
