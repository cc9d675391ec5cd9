"""Campaigns with known complete labels that look like real ones."""
