"""Certificates of deals, without I/O."""
