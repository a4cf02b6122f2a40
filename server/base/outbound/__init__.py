"""Posts to the servers of others, with retries that end."""
