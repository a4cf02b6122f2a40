"""Notifications, without I/O: who wants what and when, and how it is encrypted."""
