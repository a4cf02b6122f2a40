"""What follows from attempts that have ended: histories, leaderboards, ratings."""
