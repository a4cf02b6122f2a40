"""Tests of the deployment files, with real programs."""
