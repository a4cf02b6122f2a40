"""Moderation by operators: suspicions, voided results, barred players."""
