"""The recipe for running it in production, tried with real programs."""
