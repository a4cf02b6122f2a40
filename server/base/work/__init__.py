"""What runs in the background, what it is told by, and how it ends."""
