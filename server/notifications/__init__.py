"""Notifications: Web Push messages to players without an open page."""
