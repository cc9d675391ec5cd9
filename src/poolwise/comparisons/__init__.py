"""Significance of differences between runs, paired over topics. May import: scores and below."""
