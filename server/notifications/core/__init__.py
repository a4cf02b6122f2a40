"""The rules of notifications, without I/O: preferences, recipients and encryption."""
