"""The daily challenges and their archive."""
