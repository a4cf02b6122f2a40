"""Closed deals: their runs and replays."""
