"""Watching other players' boards."""
