"""Campaigns: runs with their judgments, and the analyses as verbs. May import: all analyses and below."""
