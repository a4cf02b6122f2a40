"""The command `samedeal`."""
