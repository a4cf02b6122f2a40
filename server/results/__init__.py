"""Results of finished attempts: histories, leaderboards and ratings."""
