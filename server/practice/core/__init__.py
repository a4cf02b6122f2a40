"""The pure part of the wing of practice."""
