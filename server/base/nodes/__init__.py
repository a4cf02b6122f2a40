"""The nodes of an installation: which there are, what they tell each other."""
