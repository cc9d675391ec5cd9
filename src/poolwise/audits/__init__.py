"""Faults of runs, and old judgments with new runs: the effect of unjudged documents (holes).

May import: scores and below, and plans: documents to judge are given as a plan.
"""
