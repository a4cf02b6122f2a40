"""Credentials: recovery codes, devices, passkeys; export and deletion."""
