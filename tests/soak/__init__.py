"""The soak: hundreds of players who do all that people do, for as long as you like."""
