"""Results of attempts that have ended: histories, leaderboards, ratings."""
