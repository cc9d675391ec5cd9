"""Scores of runs, and intervals over topics. May import: measures, sampling and below."""
