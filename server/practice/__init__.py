"""Statistics of practice, as reported by the devices of players with a kept identity."""
