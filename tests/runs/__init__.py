"""Tests of public runs."""
