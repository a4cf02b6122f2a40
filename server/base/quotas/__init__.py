"""Quotas: how much each address may have stored."""
