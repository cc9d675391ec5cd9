"""Runs joined once with the documents they retrieved, and the judgments of these. May import: reading and below."""
