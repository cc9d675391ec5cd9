"""Analyses of scores: agreement, significance, reliability, estimates.

May import: read, pool, judge, score.
"""
