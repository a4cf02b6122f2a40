"""The rules of histories, leaderboards and ratings, without I/O."""
