"""Race rooms: seats, rounds, presence."""
