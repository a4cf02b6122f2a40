"""Storage quotas of addresses."""
