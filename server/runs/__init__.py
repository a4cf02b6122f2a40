"""What a closed deal shows: its runs and replays."""
