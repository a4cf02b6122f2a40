"""Outbound posts to third-party servers, with bounded retries."""
