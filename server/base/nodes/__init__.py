"""The nodes of an installation: their registration, and messages between them."""
