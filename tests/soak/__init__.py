"""The soak test: hundreds of players use every feature for any length of time."""
