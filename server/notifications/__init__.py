"""Notifications: what players asked to be told while no page of theirs is open (Web Push)."""
