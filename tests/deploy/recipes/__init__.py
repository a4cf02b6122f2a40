"""Tests of what operators are told to do, carried out from the very text of the documents."""
